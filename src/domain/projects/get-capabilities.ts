import { featuresOf } from '../../platform/database/queries/organizations.ts';
import { limitsOf } from '../limits/plan.ts';
import type { Verb } from '../verb.ts';

export const getProjectCapabilities: Verb<'getProjectCapabilities'> = async (context) => {
  const { actor, project, db } = context;
  const features = await featuresOf(db, actor.organization.id);
  const plan = await limitsOf(context, actor.organization.id);
  const admin = project.role === 'admin';
  const swarms = features.has('swarms');
  const userTesting = features.has('user-testing');
  return {
    projectId: project.id,
    organizationId: actor.organization.id,
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
