import { useState } from 'react';
import { Button } from './button.tsx';
import { counted } from './numbers.ts';

/** Characters rendered initially and after "Show more". */
const maxAtFirst = 2_000;
const maxDrawn = 100_000;

/** Untrusted text, truncated until the reader expands it. */
export function LongText({
  text,
  className,
  first = maxAtFirst,
}: {
  text: string;
  className?: string | undefined;
  /** Characters rendered before the text is expanded. */
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
          <Button variant="quiet" onClick={() => setMost(maxDrawn)}>
            Show more
          </Button>
        )}
      </p>
    </>
  );
}
