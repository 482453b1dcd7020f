export { watchJourneysHandler } from '../journey-runs/execute/watch.ts';
export { observeWaveHandler } from '../journey-runs/grade/observe-wave.ts';
export { gradeSessionHandler } from '../journey-runs/grade/session.ts';
export { waveInsightsHandler } from '../journey-runs/insights.ts';
