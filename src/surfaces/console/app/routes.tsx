import { createRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { Problem } from './kit/notice.tsx';
import { Page } from './kit/page.tsx';
import { evalRoutes } from './routes/evals.tsx';
import { entryRoutes, peopleRoutes } from './routes/people.tsx';
import { home, project, root } from './routes/root.tsx';
import { serverRoutes } from './routes/servers.tsx';
import { setupRoutes } from './routes/setup.tsx';

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    ...entryRoutes,
    ...peopleRoutes,
    project.addChildren([...setupRoutes, ...serverRoutes, ...evalRoutes]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  scrollToTopSelectors: ['#page'],
  defaultErrorComponent: PageProblem,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** What a page could not draw. A part of it that fails to load after an update is there again after loading anew. */
function PageProblem({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page failed" name="Failed">
      <Problem error={error} retry={reset} back={<a href="/console/">Go to your projects</a>} />
    </Page>
  );
}
