import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds on a quiet machine decide; the rest is short. A long file begun last would run while the other workers idle. */
const long = [
  'guides',
  'console',
  'embedded',
  'console-hostile-pages',
  'eval-crash',
  'console-people-pages',
  'backup',
  'hostile-servers',
  'fuzz',
  'access-matrix',
  'parity',
  'eval-attacks',
  'live-hostile',
  'package',
  'cli-suite-files',
  'console-sign-in',
  'backup-refusals',
  'console-setup-pages',
  'console-eval-pages',
  'leases',
  'cli-evals',
  'cli-terminal',
  'eval-races',
  'cli',
  'live-failures',
  'console-sessions',
  'eval-backtest',
  'shutdown',
  'cli-check',
  'kill',
  'ci-examples',
  'hang-up',
  'eval-execution',
  'first-call',
  'eval-judge-races',
  'eval-ingest-hostile',
  'live-oauth',
  'console-requests',
  'demo-server',
  'live-doctor',
  'console-mail',
  'environments-model',
  '../src/browser/session',
  '../src/browser/engine',
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
