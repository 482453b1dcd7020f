export { conformanceHandler } from '../conformance-runs/execute/job.ts';
export { silentRunsHandler } from '../conformance-runs/silent.ts';
export { checkHandler, fireChecksHandler } from '../server-checks/check.ts';
export { advanceHandler, expireHandler } from '../server-connections/advance.ts';
