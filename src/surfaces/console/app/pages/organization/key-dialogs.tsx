import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answersOf } from '../../api/ask.ts';
import { people } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Code } from '../../kit/code.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { LazyDialog } from '../../kit/lazy-dialog.tsx';
import { Note, Problem } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import type { Key } from './keys-page.tsx';
import { Once } from './once.tsx';
import css from './organization.module.css';
import type { Standing } from './organization-page.tsx';

export function NewKey({ standing, onClose }: { standing: Standing; onClose: () => void }) {
  const { organizationId, organization, signedIn } = standing;
  const [name, setName] = useState('');
  const queryClient = useQueryClient();
  const making = useMutation({
    mutationFn: () => people.createKey({ organizationId, body: { name: name.trim() } }),
    onSuccess: () => queryClient.invalidateQueries(answersOf('listKeys')),
    // What is shown once is kept nowhere else.
    gcTime: 0,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    making.mutate();
  };
  if (making.data)
    return (
      <Once title={`The key ${making.data.name}`} value={making.data.key} label="key" onClose={onClose}>
        <p>Copy it now: it is not shown again. Try it:</p>
        <Code
          text={`curl ${location.origin}/api/v1/me \\\n  -H "Authorization: Bearer ${making.data.key}"`}
          label="curl command"
        />
        <Note>
          For the command line: <code>DRYDOCK_API_KEY</code> and <code>DRYDOCK_URL={location.origin}</code>.
        </Note>
      </Once>
    );
  return (
    <LazyDialog onClose={onClose} title="Create an API key">
      <form className={css.form} onSubmit={submit}>
        <Field label="Name" hint="What will use it, like CI of the payments team.">
          <TextInput
            required
            maxLength={200}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <Note>
          It acts as {signedIn.user.email} in {organization.name}, may do what you may do there, and works
          until it is revoked.
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
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const { id: keyId, name, hint, user, lastUsedAt } = apiKey;
  const revoking = useMutation({
    mutationFn: () => people.revokeKey({ organizationId: standing.organizationId, keyId }),
    onSuccess: async () => {
      setAsking(false);
      say(`Key ${name} revoked`);
      await queryClient.invalidateQueries(answersOf('listKeys'));
    },
    onError: complain,
  });
  const theirs = user && user.id !== standing.signedIn.user.id;
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)} aria-label={`Revoke the key ${name}`}>
        Revoke
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Revoke the key ${name}?`}
          verb="Revoke key"
          busy={revoking.isPending}
          onConfirm={() => revoking.mutate()}
          lost={
            <>
              <p>
                <code>{hint}</code>
                {theirs && `, which acts as ${user.email},`} stops working at once: the next request with it
                is refused. Revoking cannot be undone.
              </p>
              <p>
                {lastUsedAt === null ? (
                  'It was never used.'
                ) : (
                  <>
                    It was used last <Time at={lastUsedAt} />. Whatever uses it, like CI, scripts and agents,
                    needs another key.
                  </>
                )}
              </p>
            </>
          }
        />
      )}
    </>
  );
}
