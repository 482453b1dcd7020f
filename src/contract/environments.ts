import { z } from 'zod';
import { ClientConfig } from './client-config.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';
import { Name } from './text.ts';
import { writeLike } from './write-like.ts';

const operation = operationsIn({
  area: 'Environments',
  path: '/projects/{projectId}/environments',
  access: 'project member',
});

const id = z.string().min(1).max(200);
const idsLike = (like: ReturnType<typeof writeLike>) =>
  z.array(id, like).min(1, 'Must name at least one; leave the field out for none').max(100);

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
      'The secrets a run receives, and no others. One that is shared with nobody reaches only its owner.',
  });

const PluginVersionIds = idsLike(writeLike('["…"], the ids of plugin versions'));

const shown = {
  id: z.string(),
  projectId: z.string(),
  description: z.string().optional(),
  hostId: z.string().describe('The client.'),
  serverAttachmentId: z.string().optional().describe("A server group, instead of the client's servers."),
  modelId: z.string().optional(),
  skillSelection: SkillSelection.optional(),
  secretSelection: SecretSelection.optional(),
  pluginVersionIds: z.array(z.string()).optional(),
  sandboxImageId: z.string().optional(),
  revision: z.number().int().describe('Counts the writes; send it back as `expectedRevision`.'),
  archived: z.boolean(),
  archivedAt: Time.optional(),
  createdAt: Time,
  updatedAt: Time,
};

const Environment = z
  .object({
    ...shown,
    name: z.string().nullable().describe('`null` while it was only made on the fly.'),
    adhoc: z.literal(true).optional(),
  })
  .meta({ id: 'ProjectEnvironment' });

const modelId = z.string().trim().min(1, 'Must not be blank').max(500);
const description = z.string().max(5000);

/** What an environment is made of. */
const composition = {
  hostId: id,
  serverAttachmentId: id.optional(),
  modelId: modelId.optional(),
  skillSelection: SkillSelection.optional(),
  secretSelection: SecretSelection.optional(),
  pluginVersionIds: PluginVersionIds.optional(),
  sandboxImageId: id.optional(),
};

const expectedRevision = z.number().int().min(0).describe('What `revision` was when it was read.');

const EnvironmentUpdateRequest = z
  .strictObject({
    expectedRevision,
    name: Name.optional(),
    description: description.nullable().optional().describe('`null` or empty text takes it away.'),
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
    description: 'Fields left out stay as they are; `null` clears one.',
  });

const RevisionRequest = z
  .strictObject({ expectedRevision })
  .meta({ id: 'ProjectEnvironmentRevisionRequest' });

export const listEnvironments = operation({
  summary: "List a project's environments",
  description: 'Those made on the fly are left out.',
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
  summary: 'Say what environments may hold here',
  path: '/capabilities',
  response: z
    .object({ modelOverrides: z.boolean(), modelMatrix: z.boolean(), secretGrants: z.boolean().optional() })
    .meta({ id: 'ProjectEnvironmentCapabilities', description: 'What is absent is not supported.' }),
});

export const getEnvironment = operation({
  summary: 'Read an environment',
  path: '/{environmentId}',
  response: Environment,
});

export const updateEnvironment = operation({
  summary: 'Edit an environment',
  description: 'Refused with 409 when somebody has written to it since it was read, or when it is archived.',
  method: 'PATCH',
  path: '/{environmentId}',
  body: EnvironmentUpdateRequest,
  example: { expectedRevision: 1, description: 'For the nightly run' },
  response: Environment,
  errors: ['CONFLICT'],
  access: 'project admin',
});

export const resolveEnvironment = operation({
  summary: 'Preview what an environment runs with',
  description:
    "The client's current configuration, the servers and the plugin versions that a run of the caller would use now. A 409 says in `details.code` why nothing could run.",
  path: '/{environmentId}/resolve',
  response: z
    .object({
      environment: z.object({ id: z.string(), name: z.string().nullable(), revision: z.number().int() }),
      hostId: z.string(),
      hostName: z.string(),
      hostConfigId: z.string(),
      config: ClientConfig.describe("The client's, as it is now."),
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
  summary: 'Make an environment on the fly',
  description: 'The same content gives the same environment. It is not listed until it is named.',
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
  summary: 'Name an environment made on the fly',
  description: 'It keeps its id and is listed from then on. One that has a name is refused with 409.',
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
  description: 'It stays readable, and its name is free.',
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
  description: 'Pins of plugin versions that are gone are dropped. Refused when its name is taken by now.',
  method: 'POST',
  path: '/{environmentId}/restore',
  body: RevisionRequest,
  example: { expectedRevision: 2 },
  response: Environment,
  errors: ['CONFLICT'],
  access: 'project admin',
});
