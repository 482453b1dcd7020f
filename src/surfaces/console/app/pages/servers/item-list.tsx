import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ServerTab } from '../../addresses.ts';
import common from '../../kit/common.module.css';
import { TextInput } from '../../kit/field.tsx';
import { counted } from '../../kit/numbers.ts';
import { cut } from '../../kit/text.ts';
import type { ServerRef } from './address.ts';
import css from './servers.module.css';

interface Item {
  key: string;
  name: string;
  description: string | undefined;
}

/** Shorter lists have no filter. */
const maxWithoutFilter = 8;
/** Rendered at most; the filter finds the others. */
const maxDrawn = 500;

export function ItemList({
  which,
  tab,
  noun,
  items,
  more,
  chosen,
}: {
  which: ServerRef;
  tab: ServerTab;
  noun: string;
  items: Item[];
  more: boolean;
  chosen: string | undefined;
}) {
  const [words, setText] = useState('');
  const asked = words.trim().toLowerCase();
  const found = items.filter(({ name, description = '' }) =>
    `${name} ${cut(description, 2_000)}`.toLowerCase().includes(asked),
  );
  return (
    <div className={css.items}>
      {items.length > maxWithoutFilter && (
        <TextInput
          type="search"
          aria-label={`Filter ${noun}s`}
          placeholder={`Filter ${counted(items.length, noun)}`}
          value={words}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <ul>
        {/* Names may repeat, so the index is the key. */}
        {found.slice(0, maxDrawn).map(({ key, name, description }, at) => (
          <li key={at}>
            <Link
              to="/projects/$projectId/servers/$serverId"
              params={which}
              search={{ tab, item: key }}
              className={css.item}
              aria-current={key === chosen ? 'true' : undefined}
            >
              <bdi title={name}>{cut(name)}</bdi>
              {description && <small dir="auto">{cut(description)}</small>}
            </Link>
          </li>
        ))}
      </ul>
      {(more || found.length > maxDrawn) && (
        <p className={common.soft}>Partial list; the filter covers the loaded items only.</p>
      )}
    </div>
  );
}
