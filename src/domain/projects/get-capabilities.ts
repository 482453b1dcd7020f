import * as organizations from '../../platform/database/queries/organizations.ts';
import { limitsOf } from '../limits/plan.ts';
import type { Verb } from '../verb.ts';

export const getProjectCapabilities: Verb<'getProjectCapabilities'> = async (context) => {
  const { actor, project, db } = context;
  const organizationId = actor.organization.id;
  const features = await db.rows(organizations.features, { organizationId });
  const plan = await limitsOf(context, organizationId);
  const admin = project.role === 'admin';
  const swarms = features.some(({ feature }) => feature === 'swarms');
  const userTesting = features.some(({ feature }) => feature === 'user-testing');
  return {
    projectId: project.id,
    organizationId,
    role: actor.role,
    projectRole: admin ? 'admin' : 'editor',
    surface: 'api',
    features: {
      sandboxes: { enabled: false, mode: 'off', enforced: false, reason: 'This deployment has no sandboxes' },
      swarms: { enabled: swarms },
      userTesting: { enabled: userTesting },
    },
    plan,
    can: {
      readSwarms: true,
      readUserTesting: true,
      writeSwarms: swarms,
      launchJourneyRun: swarms,
      launchGoalRun: swarms,
      // Stopping and unpublishing stay possible when a feature is switched off.
      cancelJourneyRun: true,
      cancelGoalRun: true,
      publishUserTestingScenario: userTesting && admin,
      unpublishUserTestingScenario: admin,
      changeUserTestingExposure: userTesting,
      manageUserTestingGuestExecution: userTesting && admin,
      requestInsights: true,
      readEvals: true,
      writeEvalSuites: true,
      launchEvalRun: true,
      deleteAnyEvalSuite: admin,
      deleteAnyEvalRun: admin,
      exportEvalTraces: true,
      writeClients: true,
      writeEnvironments: admin,
      ensureAdhocEnvironment: true,
      pinPluginVersions: admin,
      writePersonalSecrets: true,
      writeProjectSecrets: admin,
    },
  };
};
