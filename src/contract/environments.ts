import { z } from 'zod';
import { ClientConfig } from './client-config.ts';
import { Name } from './fields.ts';
import { writeLike } from './messages.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Environments',
  path: '/projects/{projectId}/environments',
  access: 'project member',
});

const id = z.string().min(1).max(200);
const idsLike = (like: ReturnType<typeof writeLike>) =>
  z.array(id, like).min(1, 'Must have at least one item; omit the field for none').max(100);

const likeSkills = writeLike('{"mode": "explicit", "skillIds": ["…"]}');
const SkillSelection = z
  .strictObject({ mode: z.literal('explicit', likeSkills), skillIds: idsLike(likeSkills) }, likeSkills)
  .meta({ id: 'EnvironmentSkillSelection' });

const likeSecrets = writeLike('{"mode": "explicit", "secretIds": ["…"]}');
const SecretSelection = z
  .strictObject({ mode: z.literal('explicit', likeSecrets), secretIds: idsLike(likeSecrets) }, likeSecrets)
  .meta({
    id: 'EnvironmentSecretSelection',
    description:
      'The only secrets that a run receives. A personal secret is given only to runs of its owner.',
  });

const PluginVersionIds = idsLike(writeLike('["…"], the IDs of plugin versions'));

const shown = {
  id: z.string(),
  projectId: z.string(),
  description: z.string().optional(),
  hostId: z.string().describe('ID of the client.'),
  serverAttachmentId: z.string().optional().describe("A server group, instead of the client's servers."),
  modelId: z.string().optional(),
  skillSelection: SkillSelection.optional(),
  secretSelection: SecretSelection.optional(),
  pluginVersionIds: z.array(z.string()).optional(),
  sandboxImageId: z.string().optional(),
  revision: z.number().int().describe('Number of writes. Send it back as `expectedRevision`.'),
  archived: z.boolean(),
  archivedAt: Time.optional(),
  createdAt: Time,
  updatedAt: Time,
};

const Environment = z
  .object({
    ...shown,
    name: z.string().nullable().describe('`null` for an ad hoc environment.'),
    adhoc: z.literal(true).optional(),
  })
  .meta({ id: 'ProjectEnvironment' });

const modelId = z.string().trim().min(1, 'Must not be blank').max(500);
const description = z.string().max(5000);

/** Parts of an environment that runs depend on. */
const composition = {
  hostId: id,
  serverAttachmentId: id.optional(),
  modelId: modelId.optional(),
  skillSelection: SkillSelection.optional(),
  secretSelection: SecretSelection.optional(),
  pluginVersionIds: PluginVersionIds.optional(),
  sandboxImageId: id.optional(),
};

const expectedRevision = z.number().int().min(0).describe('`revision` as you last read it.');

const EnvironmentUpdateRequest = z
  .strictObject({
    expectedRevision,
    name: Name.optional(),
    description: description.nullable().optional().describe('`null` or empty text clears it.'),
    hostId: id.optional(),
    serverAttachmentId: id.nullable().optional(),
    modelId: modelId.nullable().optional(),
    skillSelection: SkillSelection.nullable().optional(),
    secretSelection: SecretSelection.nullable().optional(),
    pluginVersionIds: PluginVersionIds.nullable().optional(),
    sandboxImageId: id.nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 1, 'Give at least one field to change')
  .meta({
    id: 'ProjectEnvironmentUpdateRequest',
    description: 'Omitted fields keep their value; `null` clears a field.',
  });

const RevisionRequest = z
  .strictObject({ expectedRevision })
  .meta({ id: 'ProjectEnvironmentRevisionRequest' });

export const listEnvironments = operation({
  summary: "List a project's environments",
  description: 'Ad hoc environments are not listed.',
  query: z.object({ includeArchived: z.enum(['true', 'false']).optional(), ...lookupPage }),
  response: pageOf(Environment, 'ProjectEnvironmentPage'),
});

export const createEnvironment = operation({
  summary: 'Create an environment',
  method: 'POST',
  body: z
    .strictObject({ name: Name, description: description.optional(), ...composition })
    .meta({ id: 'ProjectEnvironmentCreateRequest' }),
  example: { name: 'Staging', hostId: '{hostId}' },
  status: 201,
  response: Environment,
  errors: ['CONFLICT'],
  access: 'project admin',
});

export const getEnvironmentCapabilities = operation({
  summary: 'Read the supported parts of environments',
  path: '/capabilities',
  response: z
    .object({ modelOverrides: z.boolean(), modelMatrix: z.boolean(), secretGrants: z.boolean().optional() })
    .meta({ id: 'ProjectEnvironmentCapabilities', description: 'Absent fields are not supported.' }),
});

export const getEnvironment = operation({
  summary: 'Read an environment',
  path: '/{environmentId}',
  response: Environment,
});

export const updateEnvironment = operation({
  summary: 'Edit an environment',
  description: 'Returns 409 if the environment has changed since you read it, or is archived.',
  method: 'PATCH',
  path: '/{environmentId}',
  body: EnvironmentUpdateRequest,
  example: { expectedRevision: 1, description: 'For the nightly run' },
  response: Environment,
  errors: ['CONFLICT'],
  access: 'project admin',
});

export const resolveEnvironment = operation({
  summary: 'Preview the composition of an environment',
  description:
    'Client configuration, servers and plugin versions that a run would use now. If the environment cannot run, returns 409 with the reason in `details.code`.',
  path: '/{environmentId}/resolve',
  response: z
    .object({
      environment: z.object({ id: z.string(), name: z.string().nullable(), revision: z.number().int() }),
      hostId: z.string(),
      hostName: z.string(),
      hostConfigId: z.string(),
      config: ClientConfig.describe('Current configuration of the client.'),
      modelId: z.string().optional(),
      effectiveModelId: z.string(),
      modelSource: z.enum(['environment', 'host']),
      serverAttachmentId: z.string().optional(),
      selectedServerIds: z.array(z.string()),
      effectiveServerIds: z.array(z.string()),
      pluginVersions: z.array(
        z.object({
          pluginId: z.string(),
          pluginVersionId: z.string(),
          name: z.string(),
          bundleHash: z.string(),
        }),
      ),
      servers: z.array(z.object({ serverId: z.string(), name: z.string() })),
    })
    .meta({ id: 'ProjectEnvironmentResolved' }),
  errors: ['CONFLICT'],
});

export const ensureAdhocEnvironment = operation({
  summary: 'Create an ad hoc environment',
  description:
    'Equal content returns the same environment. Ad hoc environments are not listed until they are named.',
  method: 'POST',
  path: '/ensure-adhoc',
  body: z.strictObject(composition).meta({ id: 'AdhocEnvironmentRequest' }),
  example: { hostId: '{hostId}' },
  response: z
    .object({ environment: Environment, created: z.boolean() })
    .meta({ id: 'AdhocEnvironmentEnsured' }),
  errors: ['CONFLICT', 'FORBIDDEN'],
});

export const nameEnvironment = operation({
  summary: 'Name an ad hoc environment',
  description: 'Keeps the ID and lists the environment from then on. Returns 409 if it already has a name.',
  method: 'POST',
  path: '/{environmentId}/name',
  body: z
    .strictObject({ expectedRevision, name: Name, description: description.optional() })
    .meta({ id: 'EnvironmentNameRequest' }),
  example: { expectedRevision: 1, name: 'Nightly' },
  response: Environment,
  errors: ['CONFLICT'],
  access: 'project admin',
});

export const archiveEnvironment = operation({
  summary: 'Archive an environment',
  description: 'The environment stays readable, and the name can be used again.',
  method: 'POST',
  path: '/{environmentId}/archive',
  body: RevisionRequest,
  example: { expectedRevision: 1 },
  response: Environment,
  errors: ['CONFLICT'],
  access: 'project admin',
});

export const restoreEnvironment = operation({
  summary: 'Restore an archived environment',
  description: 'Drops pins of deleted plugin versions. Returns 409 if the name has been taken.',
  method: 'POST',
  path: '/{environmentId}/restore',
  body: RevisionRequest,
  example: { expectedRevision: 2 },
  response: Environment,
  errors: ['CONFLICT'],
  access: 'project admin',
});
