import type { FormEvent, KeyboardEvent } from 'react';
import { counted } from './numbers.ts';

/** Limits of the service for one message. */
const maxBytes = 8192;
const maxCharacters = 8000;

/** By how much a message is too long, in words; undefined when it is not. */
export function tooLong(text: string): string | undefined {
  const characters = text.length - maxCharacters;
  if (characters > 0) return `${counted(characters, 'character')} too long`;
  const bytes = new TextEncoder().encode(text).length - maxBytes;
  return bytes > 0 ? `${counted(bytes, 'byte')} too long` : undefined;
}

/** For the form around a message and the field in it: Enter sends, unless it ends a word of an input method. */
export function sendingWith(send: () => void) {
  return {
    submit: (event: FormEvent): void => {
      event.preventDefault();
      send();
    },
    press: (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
      event.preventDefault();
      send();
    },
  };
}
