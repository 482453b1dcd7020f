import css from './changes.module.css';
import { differencesOf } from './differences.ts';
import { Note } from './notice.tsx';
import { textOf } from './text.ts';

/** How the fields and values of a document are displayed. */
export interface Wording {
  /** Field labels that differ from the names in the API. */
  names?: Record<string, string>;
  /** Formats a value, for example an ID as the name of its resource. */
  words?: (value: unknown) => string;
}

export function Changes({
  label,
  before,
  after,
  names = {},
  words = textOf,
}: {
  label: string;
  before: unknown;
  after: unknown;
} & Wording) {
  const found = differencesOf(before, after);
  if (found.length === 0) return <Note>No differences.</Note>;
  return (
    <dl className={css.changes} aria-label={label}>
      {found.map(({ path, before, after }) => (
        <div key={path}>
          <dt>{names[path] ?? path}</dt>
          <Side name="before" value={before} words={words} />
          <Side name="after" value={after} words={words} />
        </div>
      ))}
    </dl>
  );
}

function Side({
  name,
  value,
  words,
}: {
  name: 'before' | 'after';
  value: unknown;
  words: (value: unknown) => string;
}) {
  const empty =
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return (
    <dd className={empty ? css.none : css[name]}>
      <span className="visually-hidden">{name}: </span>
      {empty ? 'none' : words(value)}
    </dd>
  );
}
