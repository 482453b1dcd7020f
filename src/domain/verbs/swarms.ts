export { cancelJourneyRun } from '../journey-runs/cancel.ts';
export {
  dismissSwarmFinding,
  listSwarmFindings,
  undismissSwarmFinding,
} from '../journey-runs/findings.ts';
export { cancelWaveInsights, getWaveInsights, requestWaveInsights } from '../journey-runs/insights.ts';
export { launchJourneyRun } from '../journey-runs/launch/launch.ts';
export { watchJourneyRun } from '../journey-runs/read/events.ts';
export { getSwarmOverview } from '../journey-runs/read/overview.ts';
export { getJourneyRun, getJourneyRunScorecard, listJourneyRuns } from '../journey-runs/read/run.ts';
export { listJourneyRunSessions } from '../journey-runs/read/sessions.ts';
export { createJourney } from '../journeys/create.ts';
export { getJourney, listJourneys } from '../journeys/read.ts';
export { archiveJourney, updateJourney } from '../journeys/update.ts';
export { createPersona } from '../personas/create.ts';
export { generateJourneys, generatePersonas } from '../personas/drafts/generate.ts';
export { getPersona, listPersonas } from '../personas/read.ts';
export { deletePersona, updatePersona } from '../personas/update.ts';
export { getSwarm, listSwarms } from '../swarms/read.ts';
export { archiveSwarm, createSwarm, updateSwarm } from '../swarms/write.ts';
