import { useMemo, useState } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import css from './code.module.css';
import { CopyButton } from './copy.tsx';
import { count } from './numbers.ts';

/** Characters that are drawn at once; more is shown when asked for. */
const mostShown = 20_000;

/** Text as it is, in the width of its letters. Whatever is in it stays text. */
export function Code({ text, label, wrap = true }: { text: string; label: string; wrap?: boolean }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > mostShown;
  return (
    <div className={css.code}>
      <div className={css.copy}>
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      {/* It scrolls, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={classes(css.text, wrap && css.wrap)} tabIndex={0} aria-label={label}>
        {cut ? text.slice(0, mostShown) : text}
      </pre>
      {cut && (
        <p className={css.more}>
          {count(mostShown)} of {count(text.length)} characters.{' '}
          <Button look="quiet" onClick={() => setWhole(true)}>
            Show all
          </Button>
        </p>
      )}
    </div>
  );
}

/** A value as indented JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? 'undefined', [value]);
  return <Code text={text} label={label} />;
}
