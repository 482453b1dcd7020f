import { useState } from 'react';
import { Button } from './button.tsx';
import { counted } from './numbers.ts';

const maxAtFirst = 2_000;
const maxDrawn = 100_000;

/** Words of somebody else, who may have written a book. */
export function LongText({
  text,
  className,
  first = maxAtFirst,
}: {
  text: string;
  className?: string | undefined;
  /** Characters that are drawn before more is asked for. */
  first?: number;
}) {
  const [most, setMost] = useState(first);
  if (text.length <= most)
    return (
      <p className={className} dir="auto">
        {text}
      </p>
    );
  return (
    <>
      <p className={className} dir="auto">
        {text.slice(0, most)}…
      </p>
      <p>
        {counted(text.length - most, 'more character')}.{' '}
        {most < maxDrawn && (
          <Button look="quiet" onClick={() => setMost(maxDrawn)}>
            Show more
          </Button>
        )}
      </p>
    </>
  );
}
