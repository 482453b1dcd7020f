import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useSignedIn } from '../api/session.ts';
import { Empty } from '../kit/notice.tsx';
import { Page } from '../kit/page.tsx';

/** Pages that need no organization. */
const ofOneself = ['/account', '/installation'];

/** The page of the address; whoever belongs nowhere is told what to do instead. */
export function Inside() {
  const signedIn = useSignedIn();
  const { pathname } = useLocation();
  if (signedIn?.organizations.length !== 0 || ofOneself.includes(pathname)) return <Outlet />;
  return (
    <Page title="No organization" name="No organization">
      <Empty title="You belong to no organization" action={<Link to="/account">Go to your account</Link>}>
        Projects and everything in them belong to organizations. Ask an administrator of one to invite{' '}
        {signedIn.user.email}.
      </Empty>
    </Page>
  );
}
