import type { AgentTool } from '../tool.ts';
import { find } from './find.ts';
import { runSuite } from './run-suite.ts';
import { compareRun, explainRun, listRuns } from './runs.ts';
import { callServerTool, checkServerContract, diagnoseServer, listServerTools } from './servers.ts';
import { readTrial } from './trial.ts';

/** What agents come for, in the order they need it. */
export const taskTools: readonly AgentTool[] = [
  find,
  diagnoseServer,
  listServerTools,
  callServerTool,
  checkServerContract,
  runSuite,
  listRuns,
  explainRun,
  readTrial,
  compareRun,
];
