import { useSignedIn } from '../../api/session.ts';
import { Id } from '../../kit/copy.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Facts, Page } from '../../kit/page.tsx';
import { Same } from '../../same/same.tsx';
import css from './account.module.css';
import { Identities } from './identities.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';

/** What somebody decides about themselves. */
export function AccountPage() {
  const signedIn = useSignedIn();
  return (
    <Page title="Account" name="Account" actions={<Same operation="getMe" input={{}} />}>
      {!signedIn && <Skeleton lines={8} />}
      {signedIn && (
        <>
          <Facts
            facts={[
              ['Id', <Id key="id" value={signedIn.user.id} />],
              [
                'Organizations',
                signedIn.organizations.map(({ name, role }) => `${name} (${role})`).join(', ') || 'none',
              ],
              ['Runs this installation', signedIn.user.operator ? 'yes' : undefined],
            ]}
          />
          <div className={css.columns}>
            <Profile key={signedIn.user.id} signedIn={signedIn} />
            <Password signedIn={signedIn} />
          </div>
          <Sessions />
          <Identities signedIn={signedIn} />
        </>
      )}
    </Page>
  );
}
