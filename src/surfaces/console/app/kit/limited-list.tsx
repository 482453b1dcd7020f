import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { count, counted } from './numbers.ts';

const step = 50;

/** A list of any length, rendered in steps with a button to show more. */
export function LimitedList<Item>({
  items,
  noun,
  many,
  rest: Rest = 'p',
  children,
}: {
  items: readonly Item[];
  noun: string;
  many?: string;
  /** Element of the line that counts the hidden items. */
  rest?: 'p' | 'li';
  children: (item: Item, at: number) => ReactNode;
}) {
  const [most, setMost] = useState(step);
  return (
    <>
      {items.slice(0, most).map(children)}
      {items.length > most && (
        <Rest>
          {count(most)} of {counted(items.length, noun, many)} are shown.{' '}
          <Button variant="quiet" onClick={() => setMost(most + step)}>
            Show more
          </Button>
        </Rest>
      )}
    </>
  );
}
