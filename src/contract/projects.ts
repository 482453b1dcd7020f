import { z } from 'zod';
import { Name } from './fields.ts';
import { operation } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const Visibility = z
  .enum(['public', 'private'])
  .describe('`public`: every member of the organization. `private`: invited members and administrators.');

const Project = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    icon: z.string().nullable(),
    organizationId: z.string(),
    visibility: Visibility,
    role: z.enum(['admin', 'member']).describe('Role of the key owner in the project.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Project' });

const description = z.string().max(5000);
const icon = z.string().max(2000);

export const listProjects = operation({
  area: 'Projects',
  summary: 'List projects',
  method: 'GET',
  path: '/projects',
  query: z.object({ organizationId: z.string().max(128).optional(), ...lookupPage }),
  status: 200,
  response: pageOf(Project, 'ProjectPage'),
  access: 'key',
});

export const createProject = operation({
  area: 'Projects',
  summary: 'Create a project',
  description: 'The caller becomes an administrator of the project.',
  method: 'POST',
  path: '/projects',
  body: z
    .strictObject({
      name: Name,
      description: description.optional(),
      organizationId: z.string().max(128).optional(),
      icon: icon.optional(),
      visibility: Visibility.optional(),
    })
    .meta({ id: 'ProjectCreateRequest' }),
  example: { name: 'Payments', description: 'Servers of the payments team' },
  status: 201,
  response: Project,
  errors: ['FORBIDDEN'],
  access: 'key',
  idempotency: 'transaction',
});

export const updateProject = operation({
  area: 'Projects',
  summary: 'Edit a project',
  method: 'PATCH',
  path: '/projects/{projectId}',
  body: z
    .strictObject({
      name: Name.optional(),
      description: description.nullable().optional().describe('`null` clears it.'),
      icon: icon.nullable().optional().describe('`null` clears it.'),
      visibility: Visibility.optional(),
    })
    .refine((body) => Object.keys(body).length > 0, 'Give at least one field to change')
    .meta({ id: 'ProjectUpdateRequest' }),
  example: { name: 'Payments and refunds' },
  status: 200,
  response: Project,
  access: 'project admin',
});

export const deleteProject = operation({
  area: 'Projects',
  summary: 'Delete a project and everything in it',
  description: 'The Default project cannot be deleted, because it receives ingested results.',
  method: 'DELETE',
  path: '/projects/{projectId}',
  status: 200,
  response: z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'ProjectDeleted' }),
  errors: ['CONFLICT'],
  access: 'project admin',
});

const SandboxesFeature = z.object({
  enabled: z.boolean(),
  mode: z.enum(['off', 'dark', 'enforce']),
  enforced: z.boolean(),
  reason: z.string().optional(),
});

const ProjectCapabilities = z
  .object({
    projectId: z.string(),
    organizationId: z.string(),
    role: z.enum(['guest', 'member', 'admin', 'owner']).describe('Role in the organization.'),
    projectRole: z.enum(['admin', 'editor']),
    surface: z.string(),
    features: z.looseObject({
      sandboxes: SandboxesFeature,
      swarms: z.object({ enabled: z.boolean() }),
      userTesting: z.object({ enabled: z.boolean() }),
    }),
    plan: z
      .object({
        name: z.string(),
        limits: z.record(z.string(), z.number().nullable()).describe('`null` means no limit.'),
        features: z.record(z.string(), z.boolean()),
      })
      .nullable(),
    can: z.object({
      readSwarms: z.boolean(),
      readUserTesting: z.boolean(),
      writeSwarms: z.boolean(),
      launchJourneyRun: z.boolean(),
      cancelJourneyRun: z.boolean(),
      launchGoalRun: z.boolean(),
      cancelGoalRun: z.boolean(),
      publishUserTestingScenario: z.boolean(),
      unpublishUserTestingScenario: z.boolean(),
      changeUserTestingExposure: z.boolean(),
      manageUserTestingGuestExecution: z.boolean(),
      requestInsights: z.boolean(),
      readEvals: z.boolean(),
      writeEvalSuites: z.boolean(),
      launchEvalRun: z.boolean(),
      deleteAnyEvalSuite: z.boolean(),
      deleteAnyEvalRun: z.boolean(),
      exportEvalTraces: z.boolean(),
      writeClients: z.boolean(),
      writeEnvironments: z.boolean(),
      ensureAdhocEnvironment: z.boolean(),
      pinPluginVersions: z.boolean(),
      writePersonalSecrets: z.boolean(),
      writeProjectSecrets: z.boolean(),
    }),
  })
  .meta({ id: 'ProjectCapabilities' });

export const getProjectCapabilities = operation({
  command: 'projects capabilities',
  area: 'Projects',
  summary: 'Read the permissions of the key in a project',
  description: 'For planning only: every write checks permissions again.',
  method: 'GET',
  path: '/projects/{projectId}/capabilities',
  status: 200,
  response: ProjectCapabilities,
  access: 'project member',
});
