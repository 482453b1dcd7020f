import type { SignedIn } from '../../api/session.ts';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { OidcButton } from '../sign-in/oidc-button.tsx';

type Identity = SignedIn['user']['identities'][number];

const columns: Column<Identity>[] = [
  { name: 'Provider', main: true, cell: ({ issuer }) => <code>{issuer}</code> },
  { name: 'Linked', figure: true, cell: ({ linkedAt }) => <Time at={linkedAt} /> },
];

/** Accounts elsewhere that open this one. */
export function Identities({ signedIn: { user, ways } }: { signedIn: SignedIn }) {
  if (!ways.oidc && user.identities.length === 0) return null;
  return (
    <Section title="Sign-in with a provider">
      {user.identities.length > 0 ? (
        <Table
          label="Identities"
          columns={columns}
          rows={user.identities}
          keyOf={({ issuer, linkedAt }) => `${issuer} ${linkedAt}`}
        />
      ) : (
        <Note>No account elsewhere is linked. With one you sign in without a password.</Note>
      )}
      {ways.oidc && user.identities.length === 0 && (
        <div>
          <OidcButton name={ways.oidc.name} to="/account" words={`Link ${ways.oidc.name}`} wide={false} />
        </div>
      )}
    </Section>
  );
}
