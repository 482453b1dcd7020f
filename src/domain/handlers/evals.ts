export { gateEventHandler } from '../eval-runs/announce.ts';
export { decideHandler, watchHandler } from '../eval-runs/execute/watch.ts';
export { evalRunInsightsHandler } from '../eval-runs/insights.ts';
export { judgeHandler } from '../eval-runs/judge/job.ts';
export { fireSchedulesHandler, launchScheduledHandler } from '../eval-runs/launch/scheduled.ts';
export { suiteRemoval } from '../eval-runs/remove-suite.ts';
export { contentRemoval } from '../projects/remove-content.ts';
