import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds on a quiet machine decide; the rest is short. A long file begun last would run while the other workers idle. */
const long = [
  'guides',
  'replicas',
  'console',
  'embedded',
  'parity',
  'access-matrix',
  'conformance-runs',
  'console-hostile-pages',
  'fuzz',
  'visit-pages',
  'backup',
  'cli-suite-files',
  'cli',
  'eval-attacks',
  'backup-refusals',
  'live-hostile',
  'eval-crash',
  '../src/suite-files/read',
  'console-sign-in',
  'cli-journeys',
  'project-deletion',
  'swarm-attacks',
  'console-people-pages',
  'package',
  'eval-races',
  'hostile-servers',
  'swarm-hostile',
  'console-studies',
  'eval-widgets',
  'cli-terminal',
  'cli-evals',
  'live-failures',
  'widgets',
  'leases',
  'console-swarms',
  '../src/browser/session',
  'shutdown',
  '../src/browser/engine',
  '../src/platform/leases/holder',
  'browser-sessions',
  'console-eval-pages',
  'journey-crash',
  'ci-examples',
  'console-setup-pages',
  'demo-server',
  'feature-gates',
  'first-call',
  'eval-judge-races',
  'console-sessions',
  'chat-crash',
  'cli-check',
  'eval-execution',
  'live-oauth',
  'hang-up',
  'console-widgets',
  'kill',
  'journey-runs',
  'browser-attacks',
  'agent-turn',
  'live-attacks',
  'openapi',
  'eval-backtest',
  'environments-model',
  'console-chat',
  'study-insights',
  '../src/compatibility/compatibility',
].map((name) => `/test/${name}.test.ts`.replace('/test/../', '/'));

/** Nothing is known of earlier runs on a machine that runs the suite once: vitest would begin with the largest files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const index = long.findIndex((end) => moduleId.endsWith(end));
      return index < 0 ? long.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
