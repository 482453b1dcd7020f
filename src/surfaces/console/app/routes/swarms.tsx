import { createRoute } from '@tanstack/react-router';
import { pageFrom } from '../api/parts.ts';
import { journeySearch, swarmSessionSearch, swarmsSearch } from '../pages/swarms/address.ts';
import { project } from './root.tsx';

const getParentRoute = () => project;

const swarms = createRoute({
  getParentRoute,
  path: 'swarms',
  validateSearch: swarmsSearch,
  component: pageFrom(() => import('../pages/swarms/swarms-page.tsx'), 'SwarmsPage'),
});

const journey = createRoute({
  getParentRoute,
  path: 'swarms/journeys/$journeyId',
  validateSearch: journeySearch,
  component: pageFrom(() => import('../pages/swarms/journey/journey-page.tsx'), 'JourneyPage'),
});

const run = createRoute({
  getParentRoute,
  path: 'swarms/runs/$journeyRunId',
  component: pageFrom(() => import('../pages/swarms/run/journey-run-page.tsx'), 'JourneyRunPage'),
});

const session = createRoute({
  getParentRoute,
  path: 'swarms/runs/$journeyRunId/sessions/$sessionId',
  validateSearch: swarmSessionSearch,
  component: pageFrom(() => import('../pages/swarms/session/swarm-session-page.tsx'), 'SwarmSessionPage'),
});

export const swarmRoutes = [swarms, journey, run, session] as const;
