import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Input, Output } from '../../../../client/index.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import form from '../../kit/form.module.css';
import { Note, Problem } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Pair, Pairs, recordOf } from '../../kit/pairs.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { wordsOf } from './add/words.ts';
import { useServerChanged } from './changed.ts';
import css from './servers.module.css';
import type { Which } from './which.ts';
import { withoutSecrets } from './without-secrets.ts';

type Server = Output<'getProjectServer'>;
type Body = Input<'updateProjectServer'>['body'];

/** Sends what was changed and nothing else. Stored values are not known here: they stay, or a new set replaces them. */
export function EditServer({ which, server }: { which: Which; server: Server }) {
  const http = server.transportType === 'http';
  const [name, setName] = useState(server.name);
  const [url, setUrl] = useState(server.url ?? '');
  const [line, setLine] = useState('');
  const [timeout, setTimeout] = useState('');
  const [useOAuth, setOAuth] = useState(server.useOAuth);
  const [pairs, setPairs] = useState<Pair[]>();
  const declared = (server.personalEnv ?? []).join(' ');
  const [personal, setPersonal] = useState(declared);
  const changed = useServerChanged();
  const [command, ...args] = wordsOf(line);
  const kept = http ? server.headerNames : server.envNames;
  const body: Body = {
    ...(name !== server.name && { name }),
    ...(http && url !== server.url && { url }),
    ...(command !== undefined && { command, args }),
    ...(timeout !== '' && { timeout: Number(timeout) }),
    ...(useOAuth !== server.useOAuth && { useOAuth }),
    ...(personal !== declared && { personalEnv: personal.split(/[\s,]+/).filter(Boolean) }),
    ...(pairs && (http ? { headers: recordOf(pairs) } : { env: recordOf(pairs) })),
  };
  const saving = useMutation({
    mutationFn: () => api.updateProjectServer({ ...which, body }),
    onSuccess: async ({ droppedSecrets = [] }) => {
      const dropped = droppedSecrets.length === 0 ? '' : `; dropped: ${droppedSecrets.join(', ')}`;
      say(`Changes saved${dropped}`);
      await changed();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (Object.keys(body).length > 0) saving.mutate();
  };
  const moves = body.url !== undefined || body.command !== undefined;
  return (
    <Section
      title="Edit"
      actions={<Same operation="updateProjectServer" input={{ ...which, body: withoutSecrets(body) }} />}
    >
      <form className={form.form} onSubmit={submit} autoComplete="off">
        <div className={form.columns}>
          <Field label="Name">
            <TextInput value={name} onChange={({ target }) => setName(target.value)} />
          </Field>
          {http ? (
            <Field label="URL">
              <TextInput type="url" value={url} onChange={({ target }) => setUrl(target.value)} />
            </Field>
          ) : (
            <Field label="Command" hint="Stays as it is when left empty; it is never shown.">
              <TextInput
                placeholder="npx -y some-mcp-server"
                spellCheck={false}
                value={line}
                onChange={({ target }) => setLine(target.value)}
              />
            </Field>
          )}
          <Field label="Timeout, in milliseconds" hint="Stays as it is when left empty.">
            <TextInput
              inputMode="numeric"
              pattern="[0-9]*"
              value={timeout}
              onChange={({ target }) => setTimeout(target.value.replaceAll(/\D/g, ''))}
            />
          </Field>
        </div>
        {!http && (
          <Field
            label="Variables filled by personal secrets"
            hint="Names, with spaces between them. Members fill them in runs that they start; other personal secrets do not reach the command."
          >
            <TextInput
              placeholder="API_TOKEN"
              spellCheck={false}
              value={personal}
              onChange={({ target }) => setPersonal(target.value)}
            />
          </Field>
        )}
        {http && <Switch label="It needs an OAuth grant" checked={useOAuth} onChange={setOAuth} />}
        {pairs === undefined ? (
          <div className={css.call}>
            <span>
              {http ? 'Stored headers' : 'Stored variables'}: {kept.length === 0 ? 'none' : kept.join(', ')}
            </span>
            <Button onClick={() => setPairs(kept.map((one) => ({ name: one, value: '' })))}>
              {kept.length === 0 ? 'Add' : 'Replace'}
            </Button>
          </div>
        ) : (
          <Pairs
            legend={http ? 'Headers' : 'Environment variables'}
            noun={http ? 'header' : 'variable'}
            hint="Replaces the stored set. Values are stored encrypted and never shown again."
            pairs={pairs}
            onChange={setPairs}
          />
        )}
        {moves && kept.length > 0 && pairs === undefined && (
          <Note>
            Stored values stay with whom they were given to: when the server is elsewhere, they are dropped
            and have to be given again.
          </Note>
        )}
        {saving.isError && <Problem error={saving.error} />}
        <div>
          <Button
            type="submit"
            look="primary"
            busy={saving.isPending}
            disabled={Object.keys(body).length === 0 || name.trim() === ''}
          >
            Save changes
          </Button>
        </div>
      </form>
    </Section>
  );
}
