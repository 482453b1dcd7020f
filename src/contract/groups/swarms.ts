import * as journeyRuns from '../journey-runs.ts';
import * as journeys from '../journeys.ts';
import { operationsOf } from '../operation.ts';
import * as personas from '../personas.ts';
import * as swarmDrafts from '../swarm-drafts.ts';
import * as swarmInsights from '../swarm-insights.ts';
import * as swarms from '../swarms.ts';

export const declared = {
  ...personas,
  ...journeys,
  ...swarms,
  ...swarmDrafts,
  ...journeyRuns,
  ...swarmInsights,
};
export const operations = operationsOf('swarms', declared);
