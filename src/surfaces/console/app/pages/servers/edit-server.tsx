import { useState } from 'react';
import { api, type Input, type Output, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import common from '../../kit/common.module.css';
import { submits, TextField } from '../../kit/field.tsx';
import form from '../../kit/form.module.css';
import { SubmitError } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Pair, Pairs, recordOf } from '../../kit/pairs.tsx';
import { wordsOf } from './add/shell-words.ts';
import type { ServerRef } from './address.ts';
import { withoutSecrets } from './without-secrets.ts';

type Server = Output<'getProjectServer'>;
type Body = Input<'updateProjectServer'>['body'];

/** Sends changed fields only. Stored values are unknown here: they are kept, or replaced as a whole. */
export function EditServer({ which, server }: { which: ServerRef; server: Server }) {
  const http = server.transportType === 'http';
  const [name, setName] = useState(server.name);
  const [url, setUrl] = useState(server.url ?? '');
  const [line, setLine] = useState('');
  const [timeout, setTimeout] = useState('');
  const [useOAuth, setOAuth] = useState(server.useOAuth);
  const [pairs, setPairs] = useState<Pair[]>();
  const declared = (server.personalEnv ?? []).join(' ');
  const [personal, setPersonal] = useState(declared);
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
  const saving = useSubmit(() => api.updateProjectServer({ ...which, body }), {
    says: ({ droppedSecrets = [] }) =>
      droppedSecrets.length === 0
        ? 'Changes saved'
        : `Changes saved; deleted values: ${droppedSecrets.join(', ')}`,
  });
  const moves = body.url !== undefined || body.command !== undefined;
  return (
    <Section
      title="Edit"
      actions={
        <ApiExample operation="updateProjectServer" input={{ ...which, body: withoutSecrets(body) }} />
      }
    >
      <form className={form.form} onSubmit={submits(() => saving.mutate())} autoComplete="off">
        <div className={form.columns}>
          <TextField label="Name" value={name} onChange={setName} />
          {http ? (
            <TextField label="URL" type="url" value={url} onChange={setUrl} />
          ) : (
            <TextField
              label="Command"
              hint="Leave empty to keep the stored value, which is never shown."
              placeholder="npx -y some-mcp-server"
              spellCheck={false}
              value={line}
              onChange={setLine}
            />
          )}
          <TextField
            label="Timeout (ms)"
            hint="Leave empty to keep the current value."
            inputMode="numeric"
            pattern="[0-9]*"
            value={timeout}
            onChange={(text) => setTimeout(text.replaceAll(/\D/g, ''))}
          />
        </div>
        {!http && (
          <TextField
            label="Variables filled by personal secrets"
            hint="Names separated by spaces. Members supply the values in runs they start. Other personal secrets are not passed to the command."
            placeholder="API_TOKEN"
            spellCheck={false}
            value={personal}
            onChange={setPersonal}
          />
        )}
        {http && <Switch label="Requires OAuth" checked={useOAuth} onChange={setOAuth} />}
        {pairs === undefined ? (
          <div className={common.wideRow}>
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
            hint="Replaces all stored values. They are encrypted and never shown again."
            pairs={pairs}
            onChange={setPairs}
          />
        )}
        {moves && kept.length > 0 && pairs === undefined && (
          <Note>
            Stored values belong to the saved {http ? 'URL' : 'command'}. This change deletes them: enter them
            again.
          </Note>
        )}
        <SubmitError of={saving} />
        <div>
          <Button
            type="submit"
            variant="primary"
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
