import { useState } from 'react';
import { people, useSubmit } from '../../api/index.ts';
import { type SignedIn, sessionIs } from '../../api/session.ts';
import { DialogButton } from '../../kit/dialog-button.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { toastSuccess } from '../../kit/toast.tsx';
import { PasswordField } from '../sign-in/password-field.tsx';
import { isWebAddress } from '../sign-in/redirect-path.ts';

type Identity = SignedIn['user']['identities'][number];

const columnsFor = (hasPassword: boolean): Column<Identity>[] => [
  { name: 'Provider', main: true, cell: ({ issuer }) => <code>{issuer}</code> },
  { name: 'Linked', figure: true, cell: ({ linkedAt }) => <Time at={linkedAt} /> },
  {
    name: 'Actions',
    figure: true,
    cell: (identity) => <Unlink identity={identity} hasPassword={hasPassword} />,
  },
];

/** Identity provider accounts that can sign in to this one. */
export function Identities({ signedIn: { user, ways } }: { signedIn: SignedIn }) {
  if (!ways.oidc && user.identities.length === 0) return null;
  return (
    <Section title="Sign-in with a provider">
      {user.identities.length > 0 ? (
        <>
          <Table label="Linked identities" columns={columnsFor(user.hasPassword)} rows={user.identities} />
          <Note>
            Anyone with a linked identity can sign in to this account. If one is not yours, unlink it and
            change your password.
          </Note>
        </>
      ) : (
        <Note>No linked identities. Link one to sign in without a password.</Note>
      )}
      {ways.oidc && user.identities.length === 0 && (
        <div>
          <LinkIdentity name={ways.oidc.name} hasPassword={user.hasPassword} />
        </div>
      )}
    </Section>
  );
}

function LinkIdentity({ name, hasPassword }: { name: string; hasPassword: boolean }) {
  return (
    <DialogButton
      renderDialog={(close) => (
        <WithPassword
          title={`Link ${name}`}
          words={`You can then sign in with your ${name} account.`}
          verb={`Go to ${name}`}
          hasPassword={hasPassword}
          onClose={close}
          act={async (given) => {
            const { url } = await people.startOidc({ body: { returnTo: '/console/account', ...given } });
            if (!isWebAddress(url))
              throw new Error(`The sign-in URL of ${name} is not an http or https URL.`);
            location.assign(url);
          }}
        />
      )}
    >
      Link {name}
    </DialogButton>
  );
}

function Unlink({ identity: { id, issuer }, hasPassword }: { identity: Identity; hasPassword: boolean }) {
  return (
    <DialogButton
      variant="danger"
      aria-label={`Unlink ${issuer}`}
      renderDialog={(close) => (
        <WithPassword
          title={`Unlink ${issuer}?`}
          words="You can no longer sign in with it. Other sessions started with a provider end."
          verb="Unlink identity"
          hasPassword={hasPassword}
          onClose={close}
          act={async (body) => {
            sessionIs(await people.unlinkIdentity({ identityId: id, body }));
            toastSuccess('Identity unlinked');
          }}
        />
      )}
    >
      Unlink
    </DialogButton>
  );
}

/** Asks for the password; accounts without one need a recent sign-in instead. */
function WithPassword({
  title,
  words,
  verb,
  hasPassword,
  act,
  onClose,
}: {
  title: string;
  words: string;
  verb: string;
  hasPassword: boolean;
  act: (given: { currentPassword?: string }) => Promise<void>;
  onClose: () => void;
}) {
  const [currentPassword, setCurrentPassword] = useState('');
  const acting = useSubmit(() => act(hasPassword ? { currentPassword } : {}), { onDone: onClose });
  return (
    <FormDialog
      title={title}
      verb={verb}
      action={acting}
      blocked={hasPassword && currentPassword === ''}
      onClose={onClose}
    >
      <p>{words}</p>
      {hasPassword && (
        <PasswordField label="Your password" value={currentPassword} onChange={setCurrentPassword} />
      )}
    </FormDialog>
  );
}
