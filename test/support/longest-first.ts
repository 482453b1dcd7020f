import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds on a quiet machine decide; the rest is short. A long file begun last would run while the other workers idle. */
const long = [
  'guides',
  'console',
  'console-hostile-pages',
  'access-matrix',
  'embedded',
  'fuzz',
  'backup',
  'parity',
  'swarm-hostile',
  'console-studies',
  'swarm-attacks',
  'visit-pages',
  'cli-journeys',
  'eval-crash',
  'eval-races',
  'hostile-servers',
  'console-people-pages',
  'eval-attacks',
  'backup-refusals',
  'console-sign-in',
  'eval-widgets',
  'widgets',
  'live-hostile',
  'package',
  'cli',
  '../src/browser/session',
  '../src/suite-files/read',
  'live-failures',
  'cli-terminal',
  'cli-suite-files',
  'leases',
  'cli-evals',
  '../src/browser/engine',
  '../src/platform/leases/holder',
  'browser-sessions',
  'console-eval-pages',
  'console-setup-pages',
  'console-sessions',
  'eval-judge-races',
  'environments-model',
  'kill',
  'cli-check',
  'ci-examples',
  'eval-execution',
  'first-call',
  '../src/compatibility/compatibility',
  'live-oauth',
  'hang-up',
  'live-doctor',
  'live-attacks',
  'worker-command',
  'shutdown',
  'agent-turn',
  'server-connections',
  'console-links',
  'browser-guard',
  'console-widgets',
  'browser-attacks',
  'console-chat',
  'streams',
  'demo-server',
  'eval-delivery',
  'project-deletion',
  'eval-backtest',
  'chat-crash',
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
