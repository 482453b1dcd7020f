import { createRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { checkReady, onRecovery, useConnection } from './api/connection.ts';
import { isMissingPart } from './api/problem.ts';
import { Problem, Skeleton } from './kit/notice.tsx';
import { Page } from './kit/page.tsx';
import { chatRoutes } from './routes/chat.tsx';
import { evalRoutes } from './routes/evals.tsx';
import { entryRoutes, peopleRoutes } from './routes/people.tsx';
import { home, project, root } from './routes/root.tsx';
import { serverRoutes } from './routes/servers.tsx';
import { setupRoutes } from './routes/setup.tsx';
import { studyRoutes } from './routes/studies.tsx';
import { swarmRoutes } from './routes/swarms.tsx';

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    ...entryRoutes,
    ...peopleRoutes,
    project.addChildren([
      ...setupRoutes,
      ...serverRoutes,
      ...chatRoutes,
      ...evalRoutes,
      ...swarmRoutes,
      ...studyRoutes,
    ]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: () => mayHaveScrolled(),
  scrollToTopSelectors: ['#page'],
  defaultErrorComponent: PageProblem,
  defaultPendingComponent: PendingPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

let rendered = false;

/** False for a newly opened page: it is at its top, and restoring its scroll position would force a layout. */
function mayHaveScrolled(): boolean {
  const [how] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const opened = !rendered && how?.type === 'navigate';
  rendered = true;
  return !opened;
}

// Retries routes that failed to load.
onRecovery(() => {
  if (router.state.matches.some(({ status }) => status === 'error')) void router.invalidate();
});

/** Shows rendering errors. If a code chunk is missing after an update, a retry reloads the page. */
function PageProblem({ error, reset }: ErrorComponentProps) {
  const again = (): void => {
    if (isMissingPart(error)) location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <Page title="This page failed to load" name="Failed">
      <Problem error={error} retry={again} back={<a href="/console/">Go to projects</a>} />
    </Page>
  );
}

/** Placeholder for a page that takes long to load. */
function PendingPage() {
  const { lost } = useConnection();
  return (
    <Page title="Loading">
      {lost ? (
        <Problem error={new TypeError('Failed to fetch')} retry={() => void checkReady()} />
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}
