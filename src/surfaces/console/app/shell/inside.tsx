import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useSignedIn } from '../api/session.ts';
import { Empty } from '../kit/notice.tsx';
import { Page } from '../kit/page.tsx';

/** Pages that need no organization. */
const withoutOrganization = ['/account', '/installation'];

/** The current page; users without an organization are told what to do instead. */
export function Inside() {
  const signedIn = useSignedIn();
  const { pathname } = useLocation();
  if (signedIn?.organizations.length !== 0 || withoutOrganization.includes(pathname)) return <Outlet />;
  return (
    <Page title="No organization">
      <Empty
        title="You are not a member of any organization"
        action={<Link to="/account">Go to account</Link>}
      >
        Projects belong to organizations. Ask an administrator to invite {signedIn.user.email}.
      </Empty>
    </Page>
  );
}
