import { useMemo, useState } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import css from './code.module.css';
import { CopyButton } from './copy.tsx';
import { downloadText } from './download.ts';
import { jsonWithin, wholeJson } from './json.ts';
import { count } from './numbers.ts';

/** Characters rendered initially and after "Show more"; longer text can be copied or downloaded. */
const maxAtFirst = 20_000;
const maxDrawn = 200_000;

/** Preformatted monospace text. Never interpreted as markup. */
export function Code({ text, label, wrap = true }: { text: string; label: string; wrap?: boolean }) {
  const [most, setMost] = useState(maxAtFirst);
  const shown = { text: text.slice(0, most), whole: text.length <= most };
  return <Shown {...{ shown, label, wrap, most, setMost }} all={() => text} type="text/plain" />;
}

/** A value as indented JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const [most, setMost] = useState(maxAtFirst);
  const shown = useMemo(() => jsonWithin(value, most, 2), [value, most]);
  return (
    <Shown
      {...{ shown, label, wrap: true, most, setMost }}
      all={() => wholeJson(value)}
      type="application/json"
    />
  );
}

function Shown({
  shown,
  label,
  wrap,
  most,
  setMost,
  all,
  type,
}: {
  shown: { text: string; whole: boolean };
  label: string;
  wrap: boolean;
  most: number;
  setMost: (most: number) => void;
  all: () => string;
  type: 'text/plain' | 'application/json';
}) {
  const name = `${label}.${type === 'text/plain' ? 'txt' : 'json'}`;
  return (
    <div className={css.code}>
      <div className={css.copy}>
        <CopyButton text={all} label={`Copy ${label}`} />
      </div>
      {/* Scrollable, so it must be focusable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={classes(css.text, wrap && css.wrap)} tabIndex={0} aria-label={label}>
        {shown.text}
      </pre>
      {!shown.whole && (
        <p className={css.more}>
          The first {count(shown.text.length)} characters are shown.
          {most < maxDrawn && (
            <Button variant="quiet" onClick={() => setMost(maxDrawn)}>
              Show more
            </Button>
          )}
          <Button variant="quiet" onClick={() => downloadText(name, all(), type)}>
            Download all
          </Button>
        </p>
      )}
    </div>
  );
}
