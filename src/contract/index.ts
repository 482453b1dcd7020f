import * as account from './account.ts';
import * as agent from './agent.ts';
import { aliases } from './aliases.ts';
import * as artifacts from './artifacts.ts';
import * as browserSessions from './browser-sessions.ts';
import * as catalog from './catalog.ts';
import * as chatSessionBrowsers from './chat-session-browsers.ts';
import * as chatSessions from './chat-sessions.ts';
import * as clients from './clients.ts';
import * as conformanceIngest from './conformance-ingest.ts';
import * as conformanceRuns from './conformance-runs.ts';
import * as contractChecks from './contract-checks.ts';
import * as environments from './environments.ts';
import * as evalCases from './eval-cases.ts';
import * as evalCompare from './eval-compare.ts';
import * as evalDisclosure from './eval-disclosure.ts';
import * as evalGates from './eval-gates.ts';
import * as evalIngest from './eval-ingest.ts';
import * as evalIterations from './eval-iterations.ts';
import * as evalJudging from './eval-judging.ts';
import * as evalLaunch from './eval-launch.ts';
import * as evalReplay from './eval-replay.ts';
import * as evalRuns from './eval-runs.ts';
import * as evalSuiteFiles from './eval-suite-files.ts';
import * as evalSuiteRevisions from './eval-suite-revisions.ts';
import * as evalSuites from './eval-suites.ts';
import * as journeyRuns from './journey-runs.ts';
import * as journeys from './journeys.ts';
import * as oauth from './oauth.ts';
import { type Operation, type OperationsOf, operationsOf } from './operation.ts';
import * as personas from './personas.ts';
import * as plugins from './plugins.ts';
import * as projects from './projects.ts';
import * as readiness from './readiness.ts';
import * as registry from './registry.ts';
import * as registryCards from './registry-cards.ts';
import * as secrets from './secrets.ts';
import * as serverChecks from './server-checks.ts';
import * as connections from './server-connections.ts';
import * as diagnostics from './server-diagnostics.ts';
import * as serverExport from './server-export.ts';
import * as serverGroups from './server-groups.ts';
import * as primitives from './server-primitives.ts';
import * as serverSkills from './server-skills.ts';
import * as serverWidgets from './server-widgets.ts';
import * as servers from './servers.ts';
import * as sessions from './sessions.ts';
import * as shares from './shares.ts';
import * as skills from './skills.ts';
import * as spendBudget from './spend-budget.ts';
import * as studies from './studies.ts';
import * as studyInsights from './study-insights.ts';
import * as studySessions from './study-sessions.ts';
import * as swarmDrafts from './swarm-drafts.ts';
import * as swarmInsights from './swarm-insights.ts';
import * as swarms from './swarms.ts';
import * as tunnels from './tunnels.ts';
import * as webhooks from './webhooks.ts';

const declared = {
  ...account,
  ...projects,
  ...servers,
  ...diagnostics,
  ...serverChecks,
  ...primitives,
  ...serverWidgets,
  ...serverSkills,
  ...serverExport,
  ...contractChecks,
  ...conformanceRuns,
  ...conformanceIngest,
  ...oauth,
  ...connections,
  ...tunnels,
  ...registry,
  ...registryCards,
  ...readiness,
  ...clients,
  ...environments,
  ...serverGroups,
  ...secrets,
  ...skills,
  ...plugins,
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
  ...personas,
  ...journeys,
  ...swarms,
  ...swarmDrafts,
  ...journeyRuns,
  ...swarmInsights,
  ...studies,
  ...studySessions,
  ...studyInsights,
  ...shares,
  ...sessions,
  ...agent,
  ...chatSessions,
  ...chatSessionBrowsers,
  ...browserSessions,
  ...catalog,
  ...spendBudget,
  ...webhooks,
  ...aliases,
};

/** Operations by ID, which is the name of the export. */
export type Operations = OperationsOf<typeof declared>;
export type OperationId = keyof Operations;

/** All operations. Surfaces read this list and no other part of the contract. */
export const operationList: readonly Operation[] = operationsOf(declared);
