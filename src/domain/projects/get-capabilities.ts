import { routes } from '../../contract/routes.ts';
import * as organizations from '../../platform/database/queries/organizations.ts';
import type { Verb } from '../context/verb.ts';
import { limitsOf } from '../limits/plan.ts';

/** Operation of each permission. A permission is denied if this version does not serve its operation. */
const operationsFor = {
  readSwarms: 'listSwarms',
  readUserTesting: 'listScenarios',
  writeSwarms: 'createSwarm',
  launchJourneyRun: 'launchJourneyRun',
  launchGoalRun: 'launchJourneyRun',
  cancelJourneyRun: 'cancelJourneyRun',
  cancelGoalRun: 'cancelJourneyRun',
  publishUserTestingScenario: 'publishScenario',
  unpublishUserTestingScenario: 'unpublishScenario',
  changeUserTestingExposure: 'updateUserTestingScenario',
  manageUserTestingGuestExecution: 'setGuestExecution',
  requestInsights: 'requestEvalRunInsights',
  readEvals: 'getEvalRun',
  writeEvalSuites: 'createEvalSuite',
  launchEvalRun: 'createEvalRun',
  deleteAnyEvalSuite: 'deleteEvalSuite',
  deleteAnyEvalRun: 'deleteEvalRun',
  exportEvalTraces: 'exportTracesOtlp',
  writeClients: 'createClient',
  writeEnvironments: 'createEnvironment',
  ensureAdhocEnvironment: 'ensureAdhocEnvironment',
  pinPluginVersions: 'createEnvironment',
  writePersonalSecrets: 'createSecret',
  writeProjectSecrets: 'createSecret',
} as const;
type Permission = keyof typeof operationsFor;

export const getProjectCapabilities: Verb<'getProjectCapabilities'> = async (context) => {
  const { actor, project, db } = context;
  const organizationId = actor.organization.id;
  const features = await db.rows(organizations.features, { organizationId });
  const plan = await limitsOf(context, organizationId);
  const admin = project.role === 'admin';
  const swarms = features.some(({ feature }) => feature === 'swarms');
  const userTesting = features.some(({ feature }) => feature === 'user-testing');
  /** Rules for the caller's permissions; permissions not listed are granted. */
  const rules: Partial<Record<Permission, boolean>> = {
    // Cancelling and unpublishing stay allowed when a feature is turned off.
    writeSwarms: swarms,
    launchJourneyRun: swarms,
    launchGoalRun: swarms,
    publishUserTestingScenario: userTesting && admin,
    unpublishUserTestingScenario: admin,
    changeUserTestingExposure: userTesting,
    manageUserTestingGuestExecution: userTesting && admin,
    deleteAnyEvalSuite: admin,
    deleteAnyEvalRun: admin,
    writeEnvironments: admin,
    pinPluginVersions: admin,
    writeProjectSecrets: admin,
  };
  return {
    projectId: project.id,
    organizationId,
    role: actor.role,
    projectRole: admin ? 'admin' : 'editor',
    surface: 'api',
    features: {
      sandboxes: { enabled: false, mode: 'off', enforced: false, reason: 'This deployment has no sandboxes' },
      swarms: { enabled: swarms && served('listSwarms') },
      userTesting: { enabled: userTesting && served('listScenarios') },
    },
    plan,
    can: Object.fromEntries(
      Object.entries(operationsFor).map(([name, id]) => [
        name,
        served(id) && (rules[name as Permission] ?? true),
      ]),
    ) as Record<Permission, boolean>,
  };
};

function served(id: string): boolean {
  return routes.some((route) => route.id === id);
}
