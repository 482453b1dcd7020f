import { useState } from 'react';
import { useRevisions } from '../api/revisions.ts';
import { Changes, type Wording } from './changes.tsx';
import { Select } from './field.tsx';
import css from './form.module.css';
import { Note } from './notice.tsx';
import { Section } from './page.tsx';

export function Revisions({
  id,
  number,
  at,
  value,
  ...wording
}: {
  id: string;
  number: number;
  at: number;
  value: unknown;
} & Wording) {
  const revisions = useRevisions(id, { number, at, value });
  const [chosen, choose] = useState<{ before?: number; after?: number }>({});
  const after = revisions.find((one) => one.number === chosen.after) ?? revisions[0];
  const before = revisions.find((one) => one.number === chosen.before) ?? revisions[1];
  const options = revisions.map(
    (one) => [String(one.number), `Revision ${one.number}, ${new Date(one.at).toLocaleString()}`] as const,
  );
  return (
    <Section title="Revisions">
      <Note>
        Current revision: {number}. The service returns the latest revision only; you can compare those this
        tab has loaded.
      </Note>
      {before && after && (
        <>
          <div className={css.columns}>
            <Select
              aria-label="Before"
              value={String(before.number)}
              options={options}
              onChange={({ target }) => choose({ ...chosen, before: Number(target.value) })}
            />
            <Select
              aria-label="After"
              value={String(after.number)}
              options={options}
              onChange={({ target }) => choose({ ...chosen, after: Number(target.value) })}
            />
          </div>
          <Changes
            label={`From revision ${before.number} to ${after.number}`}
            before={before.value}
            after={after.value}
            {...wording}
          />
        </>
      )}
    </Section>
  );
}
