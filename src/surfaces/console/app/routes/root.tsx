import { createRootRoute, createRoute, Link, Outlet, redirect, useLocation } from '@tanstack/react-router';
import { knownSession } from '../api/session.ts';
import { lastSignedIn } from '../api/session-state.ts';
import { Empty } from '../kit/notice.tsx';
import { Page } from '../kit/page.tsx';
import { Home } from '../pages/home.tsx';
import { Shell } from '../shell/shell.tsx';

/** Pages for signed-out users. */
const signedOutPages = ['/sign-in', '/enter', '/oidc', '/forgot'];
/** Pages without the shell, including the one where a new user sets a name and password. */
const pagesWithoutShell = [...signedOutPages, '/set-up'];

/** Redirects signed-out users to sign-in, and afterwards back to the page they requested. */
export const root = createRootRoute({
  component: Frame,
  notFoundComponent: NoSuchPage,
  beforeLoad: async ({ location }) => {
    if (signedOutPages.includes(location.pathname)) return;
    const asked = knownSession();
    // Renders optimistically: the shell redirects to sign-in if any response says that the session has ended.
    if (lastSignedIn() !== undefined) return void asked.catch(() => {});
    const { signedIn } = await asked;
    if (!signedIn) throw redirect({ to: '/sign-in', search: { to: location.href }, replace: true });
  },
});

export const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });

export const project = createRoute({ getParentRoute: () => root, path: '/projects/$projectId' });

function Frame() {
  const { pathname } = useLocation();
  return pagesWithoutShell.includes(pathname) ? <Outlet /> : <Shell />;
}

function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Empty title="This page does not exist" action={<Link to="/">Go to projects</Link>}>
        The link may be mistyped or from a newer version of the console.
      </Empty>
    </Page>
  );
}
