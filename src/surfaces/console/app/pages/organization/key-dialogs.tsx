import { useState } from 'react';
import { type ConsoleOutput, people, useSubmit } from '../../api/index.ts';
import { Code } from '../../kit/code.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { RequiredField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import { OneTimeSecretDialog } from './one-time-secret-dialog.tsx';
import type { OrganizationContext } from './organization-page.tsx';

export type Key = ConsoleOutput<'listKeys'>['items'][number];

export function NewKey({ context, onClose }: { context: OrganizationContext; onClose: () => void }) {
  const { organizationId, organization, signedIn } = context;
  const [name, setName] = useState('');
  const making = useSubmit(() => people.createKey({ organizationId, body: { name: name.trim() } }));
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
    <FormDialog title="Create API key" verb="Create key" action={making} onClose={onClose}>
      <RequiredField
        label="Name"
        hint="The program that uses the key, for example “CI of the payments team”."
        maxLength={200}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
      <Note>
        The key acts as {signedIn.user.email} in {organization.name} with your permissions there, until it is
        revoked.
      </Note>
    </FormDialog>
  );
}

export function RevokeKey({ context, apiKey }: { context: OrganizationContext; apiKey: Key }) {
  const { id: keyId, name, hint, user, lastUsedAt } = apiKey;
  const theirs = user && user.id !== context.signedIn.user.id;
  return (
    <ConfirmButton
      variant="danger"
      label="Revoke"
      aria-label={`Revoke key ${name}`}
      question={`Revoke key ${name}?`}
      verb="Revoke key"
      write={() => people.revokeKey({ organizationId: context.organizationId, keyId })}
      says={`Key ${name} revoked`}
    >
      <p>
        <code>{hint}</code>
        {theirs && `, which acts as ${user.email},`} stops working immediately. Revoking cannot be undone.
      </p>
      <p>
        {lastUsedAt === null ? (
          'The key has never been used.'
        ) : (
          <>
            Last used <Time at={lastUsedAt} />. CI, scripts and agents that use it need another key.
          </>
        )}
      </p>
    </ConfirmButton>
  );
}
