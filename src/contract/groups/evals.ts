import * as artifacts from '../artifacts.ts';
import * as evalCases from '../eval-cases.ts';
import * as evalCompare from '../eval-compare.ts';
import * as evalDisclosure from '../eval-disclosure.ts';
import * as evalGates from '../eval-gates.ts';
import * as evalIngest from '../eval-ingest.ts';
import * as evalIterations from '../eval-iterations.ts';
import * as evalJudging from '../eval-judging.ts';
import * as evalLaunch from '../eval-launch.ts';
import * as evalReplay from '../eval-replay.ts';
import * as evalRuns from '../eval-runs.ts';
import * as evalSuiteFiles from '../eval-suite-files.ts';
import * as evalSuiteRevisions from '../eval-suite-revisions.ts';
import * as evalSuites from '../eval-suites.ts';
import { operationsOf } from '../operation.ts';

export const declared = {
  ...evalSuites,
  ...evalSuiteRevisions,
  ...evalSuiteFiles,
  ...evalCases,
  ...evalDisclosure,
  ...evalLaunch,
  ...evalRuns,
  ...evalIterations,
  ...evalJudging,
  ...evalCompare,
  ...evalGates,
  ...evalReplay,
  ...evalIngest,
  ...artifacts,
};
export const operations = operationsOf('evals', declared);
