import { createRootRoute, createRoute, Link, Outlet, redirect, useLocation } from '@tanstack/react-router';
import { queryClient } from '../api/index.ts';
import { session } from '../api/session.ts';
import { lastSignedIn } from '../api/session-state.ts';
import { Empty } from '../kit/notice.tsx';
import { Page } from '../kit/page.tsx';
import { Home } from '../pages/home.tsx';
import { Shell } from '../shell/shell.tsx';

/** Pages for whoever is not signed in. */
const entries = ['/sign-in', '/enter', '/oidc', '/forgot'];
/** They stand alone, and so does the page on which somebody new chooses a name and a password. */
const alone = [...entries, '/set-up'];

/** Everybody else signs in first and comes back to where they wanted to go. */
export const root = createRootRoute({
  component: Frame,
  notFoundComponent: NoSuchPage,
  beforeLoad: async ({ location }) => {
    if (entries.includes(location.pathname)) return;
    const asked = queryClient.ensureQueryData(session);
    // The shell goes to the sign-in when the answer, or any other, says that it is over.
    if (lastSignedIn() !== undefined) return void asked.catch(() => {});
    const { signedIn } = await asked;
    if (!signedIn) throw redirect({ to: '/sign-in', search: { to: location.href }, replace: true });
  },
});

export const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });

export const project = createRoute({ getParentRoute: () => root, path: '/projects/$projectId' });

function Frame() {
  const { pathname } = useLocation();
  return alone.includes(pathname) ? <Outlet /> : <Shell />;
}

function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address" action={<Link to="/">Go to projects</Link>}>
        The link may be mistyped or from a newer version of the console.
      </Empty>
    </Page>
  );
}
