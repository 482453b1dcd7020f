import type { AgentTool } from '../tool.ts';
import { find } from './find.ts';
import { rerunFailed, runSuite } from './run-suite.ts';
import { compareRun, explainRun, listRuns } from './runs.ts';
import { saveServer, saveSuite } from './save.ts';
import { callServerTool, checkServerContract, diagnoseServer, listServerTools } from './servers.ts';
import { readTrial } from './trial.ts';

/** Task tools, in the order of a typical session. */
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
