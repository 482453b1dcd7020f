import { useSignedIn } from '../../api/session.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Id } from '../../kit/copy.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Facts, Page } from '../../kit/page.tsx';
import css from './account.module.css';
import { Identities } from './identities.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';

export function AccountPage() {
  const signedIn = useSignedIn();
  return (
    <Page title="Account" actions={<ApiExample operation="getMe" input={{}} />}>
      {!signedIn && <Skeleton lines={8} />}
      {signedIn && (
        <>
          <Facts
            facts={[
              ['ID', <Id key="id" value={signedIn.user.id} />],
              [
                'Organizations',
                signedIn.organizations.map(({ name, role }) => `${name} (${role})`).join(', ') || 'none',
              ],
              ['Installation operator', signedIn.user.operator ? 'yes' : undefined],
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
