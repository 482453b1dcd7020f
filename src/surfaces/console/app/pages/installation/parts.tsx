import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { TextInput } from '../../kit/field.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import type { Installation } from './glance.ts';
import css from './installation.module.css';

type Model = Installation['models'][number];
type Setting = Installation['settings'][number];

const modelColumns: Column<Model>[] = [
  { name: 'Model', main: true, cell: ({ name }) => name },
  { name: 'ID', cell: ({ id }) => <code className={common.breakable}>{id}</code> },
  { name: 'Provider', cell: ({ provider }) => provider },
  { name: 'State', cell: (model) => <ModelState model={model} /> },
];

function ModelState({ model: { state, pausedUntil } }: { model: Model }) {
  if (state === 'ready') return <StateMark state="passed">ready</StateMark>;
  if (state === 'no key') return <StateMark state="notMeasured">no key</StateMark>;
  return (
    <StateMark state="attention">
      paused{pausedUntil !== null && ' until '}
      {pausedUntil !== null && <Time at={pausedUntil} />}
    </StateMark>
  );
}

export function Models({ installation: { models } }: { installation: Installation }) {
  const [all, setAll] = useState(false);
  const usable = models.filter(({ state }) => state !== 'no key');
  const without = models.length - usable.length;
  return (
    <Section
      title="Models"
      actions={
        without > 0 && (
          <Button variant="quiet" aria-pressed={all} onClick={() => setAll(!all)}>
            {`${all ? 'Hide' : 'Show'} ${counted(without, 'model')} without a key`}
          </Button>
        )
      }
    >
      <Table
        label="Models"
        columns={modelColumns}
        rows={all ? [...usable, ...models.filter(({ state }) => state === 'no key')] : usable}
      />
    </Section>
  );
}

const settingColumns: Column<Setting>[] = [
  { name: 'Setting', main: true, cell: ({ name }) => <code className={common.breakable}>{name}</code> },
  {
    name: 'Value',
    cell: ({ value, secret }) => (
      <span className={secret ? common.soft : common.breakable}>
        {value}
        {secret && ' (secret)'}
      </span>
    ),
  },
  { name: 'Meaning', cell: ({ meaning }) => <span className={common.soft}>{meaning}</span> },
];

export function Settings({ installation: { settings } }: { installation: Installation }) {
  const [words, setText] = useState('');
  const asked = words.trim().toLowerCase();
  const shown = settings.filter(({ name, meaning }) => `${name} ${meaning}`.toLowerCase().includes(asked));
  return (
    <Section
      title="Settings"
      actions={
        <TextInput
          type="search"
          aria-label="Filter settings"
          placeholder="Filter settings"
          className={css.filter}
          value={words}
          onChange={({ target }) => setText(target.value)}
        />
      }
    >
      {shown.length > 0 ? (
        <Table label="Settings" columns={settingColumns} rows={shown} keyOf={({ name }) => name} />
      ) : (
        <Note>No results.</Note>
      )}
      <Note>
        Settings of the Drydock process that served this page. To change one, set its environment variable and
        restart the process. Secret values are hidden.
      </Note>
    </Section>
  );
}
