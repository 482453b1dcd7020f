import { type FormEvent, useState } from 'react';
import { type ConsoleOutput, people, useSubmit } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import { Code } from '../../kit/code.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { LazyDialog } from '../../kit/dialog-button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Note, Problem } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import { OneTimeSecretDialog } from './one-time-secret-dialog.tsx';
import css from './organization.module.css';
import type { Standing } from './organization-page.tsx';

export type Key = ConsoleOutput<'listKeys'>['items'][number];

export function NewKey({ standing, onClose }: { standing: Standing; onClose: () => void }) {
  const { organizationId, organization, signedIn } = standing;
  const [name, setName] = useState('');
  const making = useSubmit(() => people.createKey({ organizationId, body: { name: name.trim() } }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    making.mutate();
  };
  if (making.data)
    return (
      <OneTimeSecretDialog
        title={`The key ${making.data.name}`}
        value={making.data.key}
        label="key"
        onClose={onClose}
      >
        <p>Copy it now: it is not shown again. Try it:</p>
        <Code
          text={`curl ${location.origin}/api/v1/me \\\n  -H "Authorization: Bearer ${making.data.key}"`}
          label="curl command"
        />
        <Note>
          For the command line: <code>DRYDOCK_API_KEY</code> and <code>DRYDOCK_URL={location.origin}</code>.
        </Note>
      </OneTimeSecretDialog>
    );
  return (
    <LazyDialog onClose={onClose} title="Create API key">
      <form className={css.form} onSubmit={submit}>
        <Field label="Name" hint="What uses it, for example “CI of the payments team”.">
          <TextInput
            required
            maxLength={200}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <Note>
          The key acts as {signedIn.user.email} in {organization.name} with your permissions there, until it
          is revoked.
        </Note>
        {making.isError && <Problem error={making.error} />}
        <footer className={css.foot}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={making.isPending}>
            Create key
          </Button>
        </footer>
      </form>
    </LazyDialog>
  );
}

export function RevokeKey({ standing, apiKey }: { standing: Standing; apiKey: Key }) {
  const { id: keyId, name, hint, user, lastUsedAt } = apiKey;
  const theirs = user && user.id !== standing.signedIn.user.id;
  return (
    <ConfirmButton
      look="danger"
      label="Revoke"
      aria-label={`Revoke key ${name}`}
      question={`Revoke key ${name}?`}
      verb="Revoke key"
      write={() => people.revokeKey({ organizationId: standing.organizationId, keyId })}
      says={`Key ${name} revoked`}
    >
      <p>
        <code>{hint}</code>
        {theirs && `, which acts as ${user.email},`} stops working immediately. Revoking cannot be undone.
      </p>
      <p>
        {lastUsedAt === null ? (
          'It has never been used.'
        ) : (
          <>
            Last used <Time at={lastUsedAt} />. CI, scripts and agents that use it need another key.
          </>
        )}
      </p>
    </ConfirmButton>
  );
}
