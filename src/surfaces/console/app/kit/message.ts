import type { KeyboardEvent } from 'react';
import { counted } from './numbers.ts';

/** The service's limits for a message. */
const maxBytes = 8192;
const maxCharacters = 8000;

/** By how much a message exceeds the limits, as text; undefined if it does not. */
export function tooLong(text: string): string | undefined {
  const characters = text.length - maxCharacters;
  if (characters > 0) return `${counted(characters, 'character')} too long`;
  const bytes = new TextEncoder().encode(text).length - maxBytes;
  return bytes > 0 ? `${counted(bytes, 'byte')} too long` : undefined;
}

/** A key handler of a message field: Enter sends, except during IME composition. */
export function sendOnEnter(send: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
}
