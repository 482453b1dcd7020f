import { createRoute } from '@tanstack/react-router';
import { runSearch, runsSearch, trialSearch } from '../addresses.ts';
import { pageFrom } from '../api/parts.ts';
import { compareSearch, tracesSearch } from '../pages/compare/address.ts';
import { readRun, readTrial } from '../pages/runs/queries.ts';
import { suiteSearch, suitesSearch } from '../pages/suites/address.ts';
import { project } from './root.tsx';

const suites = createRoute({
  getParentRoute: () => project,
  path: 'suites',
  validateSearch: suitesSearch,
  component: pageFrom(() => import('../pages/suites/suites-page.tsx'), 'SuitesPage'),
});

const suite = createRoute({
  getParentRoute: () => project,
  path: 'suites/$suiteId',
  validateSearch: suiteSearch,
  component: pageFrom(() => import('../pages/suites/suite-page.tsx'), 'SuitePage'),
});

const runs = createRoute({
  getParentRoute: () => project,
  path: 'runs',
  validateSearch: runsSearch,
  component: pageFrom(() => import('../pages/runs/runs-page.tsx'), 'RunsPage'),
});

const run = createRoute({
  getParentRoute: () => project,
  path: 'runs/$runId',
  validateSearch: runSearch,
  loader: ({ params }) => readRun(params),
  component: pageFrom(() => import('../pages/runs/run-page.tsx'), 'RunPage'),
});

const trial = createRoute({
  getParentRoute: () => project,
  path: 'runs/$runId/trials/$trialId',
  validateSearch: trialSearch,
  loader: ({ params }) => readTrial(params),
  component: pageFrom(() => import('../pages/trial/trial-page.tsx'), 'TrialPage'),
});

const compare = createRoute({
  getParentRoute: () => project,
  path: 'runs/$runId/compare',
  validateSearch: compareSearch,
  component: pageFrom(() => import('../pages/compare/compare-page.tsx'), 'ComparePage'),
});

const traces = createRoute({
  getParentRoute: () => project,
  path: 'runs/$runId/compare/traces',
  validateSearch: tracesSearch,
  component: pageFrom(() => import('../pages/compare/traces-page.tsx'), 'TracesPage'),
});

export const evalRoutes = [suites, suite, runs, run, trial, compare, traces] as const;
