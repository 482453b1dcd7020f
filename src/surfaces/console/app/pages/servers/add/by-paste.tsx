import { useState } from 'react';
import { api, useSubmit } from '../../../api/index.ts';
import { factsOf } from '../../../api/problem.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { AreaField, TextInput } from '../../../kit/field.tsx';
import { DialogForm } from '../../../kit/form-dialog.tsx';
import { counted } from '../../../kit/numbers.ts';
import { StateMark } from '../../../kit/state.tsx';
import { toastSuccess } from '../../../kit/toast.tsx';
import { withoutSecrets } from '../without-secrets.ts';
import css from './add.module.css';
import { bodyOf, type ParsedServer, readClientConfig } from './client-config.ts';
import type { Adding } from './fields.tsx';

type Outcome = { serverId: string } | { problem: string };

/** Parses a configuration as it is pasted and lists the detected servers, each saved separately. */
export function ByPaste({ projectId, onAdded, onClose }: Adding) {
  const [text, setText] = useState('');
  const [names, setNames] = useState<Record<number, string>>({});
  const [left, setLeft] = useState<number[]>([]);
  const [outcomes, setOutcomes] = useState<Record<number, Outcome>>({});
  const { servers, problem } = readClientConfig(text);
  const wanted = servers.flatMap((server, at) =>
    left.includes(at) || 'serverId' in (outcomes[at] ?? {})
      ? []
      : [{ at, body: bodyOf({ ...server, name: names[at] ?? server.name }) }],
  );
  const saving = useSubmit(
    async () => {
      const became: Record<number, Outcome> = { ...outcomes };
      for (const { at, body } of wanted)
        became[at] = await api.createProjectServer({ projectId, body }).then(
          ({ id }) => ({ serverId: id }),
          (error: unknown) => ({ problem: factsOf(error).message }),
        );
      return became;
    },
    {
      onDone: (became) => {
        setOutcomes(became);
        const saved = Object.values(became).flatMap((one) => ('serverId' in one ? [one.serverId] : []));
        if (saved.length > 0) toastSuccess(`${counted(saved.length, 'server')} saved`);
        if (saved.length < Object.keys(became).length) return;
        if (saved.length === 1) onAdded(saved[0] as string);
        else onClose();
      },
    },
  );
  const paste = (next: string): void => {
    setText(next);
    setNames({});
    setLeft([]);
    setOutcomes({});
  };
  return (
    <DialogForm
      verb={wanted.length > 1 ? `Add ${wanted.length} servers` : 'Add server'}
      action={saving}
      blocked={wanted.length === 0}
      onClose={onClose}
      example={
        wanted[0] && (
          <ApiExample
            operation="createProjectServer"
            input={{ projectId, body: withoutSecrets(wanted[0].body) }}
          />
        )
      }
    >
      <AreaField
        label="Configuration"
        problem={problem}
        hint="JSON from Claude, Cursor, VS Code, Windsurf, Zed and others: the whole file or one server's entry."
        className={css.config}
        rows={8}
        placeholder={'{ "mcpServers": { "weather": { "url": "https://…" } } }'}
        value={text}
        aria-invalid={problem !== undefined}
        onChange={paste}
      />
      {servers.length > 0 && (
        <ul className={css.understood} aria-label="Detected servers">
          {servers.map((server, at) => (
            <Entry
              key={at}
              server={server}
              name={names[at] ?? server.name}
              onName={(name) => setNames({ ...names, [at]: name })}
              taken={!left.includes(at)}
              onTaken={(taken) => setLeft(taken ? left.filter((one) => one !== at) : [...left, at])}
              outcome={outcomes[at]}
            />
          ))}
        </ul>
      )}
    </DialogForm>
  );
}

function Entry({
  server,
  name,
  onName,
  taken,
  onTaken,
  outcome,
}: {
  server: ParsedServer;
  name: string;
  onName: (name: string) => void;
  taken: boolean;
  onTaken: (taken: boolean) => void;
  outcome: Outcome | undefined;
}) {
  const { url, command, args, headers, env, enabled, notes } = server;
  const kept = [...Object.keys(headers), ...Object.keys(env)];
  const saved = outcome !== undefined && 'serverId' in outcome;
  return (
    <li className={css.server}>
      <input
        type="checkbox"
        aria-label={`Add ${name}`}
        checked={taken}
        disabled={saved}
        onChange={({ target }) => onTaken(target.checked)}
      />
      <TextInput
        aria-label={`Name of ${server.name}`}
        value={name}
        disabled={saved}
        onChange={({ target }) => onName(target.value)}
      />
      <div className={css.facts}>
        <code>{url ?? [command, ...args].join(' ')}</code>
        {kept.length > 0 && <p>{kept.join(', ')}: stored encrypted, not shown again</p>}
        {!enabled && <p>Disabled in the client; saved as paused</p>}
        {notes.map((note) => (
          <p key={note} className={css.note}>
            {note}
          </p>
        ))}
        {outcome && 'problem' in outcome && (
          <p className={css.refused} role="alert">
            {outcome.problem}
          </p>
        )}
      </div>
      {saved && <StateMark state="passed">saved</StateMark>}
    </li>
  );
}
