import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds on a quiet machine decide; the rest is short. A long file begun last would run while the other workers idle. */
const long = [
  'console',
  'guides',
  'embedded',
  'eval-crash',
  'hostile-servers',
  'fuzz',
  'console-eval-pages',
  'console-people-pages',
  'console-setup-pages',
  'parity',
  'cli-suite-files',
  'backup',
  'access-matrix',
  'cli-evals',
  'backup-refusals',
  'eval-attacks',
  'cli',
  'live-hostile',
  'package',
  'shutdown',
  'ci-examples',
  'environments-model',
  'leases',
  'cli-check',
  'demo-server',
  'cli-terminal',
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
