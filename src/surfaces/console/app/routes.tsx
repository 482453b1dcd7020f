import { createRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { answers, onRecovery, useConnection } from './api/connection.ts';
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
  defaultPendingComponent: PageOnItsWay,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

let drawn = false;

/** A page that is opened for the first time stands at its top; to look would make the browser lay it out twice. */
function mayHaveScrolled(): boolean {
  const [how] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const opened = !drawn && how?.type === 'navigate';
  drawn = true;
  return !opened;
}

/** Errors of route loading. */
onRecovery(() => {
  if (router.state.matches.some(({ status }) => status === 'error')) void router.invalidate();
});

/** Errors of rendering. A part of it that is gone after an update is there again after loading anew. */
function PageProblem({ error, reset }: ErrorComponentProps) {
  const again = (): void => {
    if (isMissingPart(error)) location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <Page title="This page failed" name="Failed">
      <Problem error={error} retry={again} back={<a href="/console/">Go to projects</a>} />
    </Page>
  );
}

/** Stands where a page will be whose code or answers take long. */
function PageOnItsWay() {
  const { lost } = useConnection();
  return (
    <Page title="Loading">
      {lost ? (
        <Problem error={new TypeError('Failed to fetch')} retry={() => void answers()} />
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}
