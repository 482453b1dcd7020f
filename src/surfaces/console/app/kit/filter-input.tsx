import { type ComponentProps, useEffect, useEffectEvent, useRef, useState } from 'react';
import { TextInput } from './field.tsx';

const debounceMs = 150;

/** A search field with a debounced `onChange`. Follows changes of `value` from outside. */
export function FilterInput({
  value = '',
  onChange,
  ...rest
}: Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  value: string | undefined;
  onChange: (words: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useEffectEvent(onChange);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      send(typed || undefined);
    }, debounceMs);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  return (
    <TextInput type="search" {...rest} value={typed} onChange={(event) => setTyped(event.target.value)} />
  );
}
