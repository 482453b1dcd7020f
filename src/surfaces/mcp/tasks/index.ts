import type { AgentTool } from '../tool.ts';
import { find } from './find.ts';
import { rerunFailed, runSuite } from './run-suite.ts';
import { compareRun, explainRun, listRuns } from './runs.ts';
import { saveServer, saveSuite } from './save.ts';
import { callServerTool, checkServerContract, diagnoseServer, listServerTools } from './servers.ts';
import { readTrial } from './trial.ts';

/** What agents come for, in the order they need it. */
export const taskTools: readonly AgentTool[] = [
  find,
  saveServer,
  diagnoseServer,
  listServerTools,
  callServerTool,
  checkServerContract,
  saveSuite,
  runSuite,
  rerunFailed,
  listRuns,
  explainRun,
  readTrial,
  compareRun,
];
