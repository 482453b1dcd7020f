import { z } from 'zod';
import { LiveBody, liveErrors, liveOptions } from './live.ts';
import { operationsIn } from './operation.ts';

const operation = operationsIn({
  area: 'Primitives',
  path: '/projects/{projectId}/servers/{serverId}/skills',
  access: 'project member',
});

/** Size limits of a skill, which are those of common hosts. */
export const skillLimits = { files: 512, bytes: 16 * 1024 * 1024 } as const;

const uri = z.string().min(1).max(16384);

const Support = z
  .object({
    declared: z.boolean().describe('Whether this service declared the extension.'),
    advertised: z.boolean().describe('Whether the server declares the extension.'),
    directoryRead: z.boolean().describe('Whether the server also lists folders.'),
    active: z.boolean().describe('Whether both sides declared the extension, so that skills can be read.'),
  })
  .meta({ id: 'ServerSkillsSupport' });

const ResourceRef = z
  .object({
    uri: z.string(),
    digest: z.string().describe('`sha256:` and 64 hexadecimal digits.'),
    size: z.number().int().min(0).optional().describe('In bytes.'),
  })
  .meta({ id: 'ServerSkillResourceRef', description: 'A file of a skill. Only listed files can be read.' });

const Refusal = z
  .object({
    kind: z.enum([
      'no_resources',
      'dynamic_resources',
      'unlisted_resource',
      'digest_mismatch',
      'unsupported_digest',
      'size_mismatch',
      'too_many_resources',
      'frontmatter_drift',
      'identity_mismatch',
      'not_found',
      'too_large',
      'fetch_failed',
      'extension_inactive',
    ]),
    message: z.string(),
    skillUri: z.string().optional(),
    resourceUri: z.string().optional(),
    expected: z.string().optional().describe('Value in the listing.'),
    actual: z.string().optional().describe('Value received.'),
    field: z.string().optional().describe('Frontmatter field.'),
  })
  .meta({ id: 'ServerSkillRefusal', description: 'Why the response of the server was rejected.' });

export type ServerSkillRefusal = z.infer<typeof Refusal>;

const identity = {
  serverId: z.string(),
  skillUri: z.string().describe('URI of the SKILL.md, which identifies the skill.'),
  name: z.string(),
  description: z.string(),
  resources: z.array(ResourceRef),
  frontmatter: z.unknown().optional().describe('Frontmatter from the listing.'),
};

const Summary = z
  .object({
    ...identity,
    unloadable: z
      .object({
        reason: z.enum(['no_resources', 'dynamic_resources', 'too_many_resources', 'too_large']),
        message: z.string(),
      })
      .optional()
      .describe('Why the files of the skill cannot be read.'),
  })
  .meta({ id: 'ServerSkillSummary' });

export const listServerSkills = operation({
  command: 'servers skills',
  summary: "List a server's skills",
  description:
    'Lists all skills that a server offers through the MCP skills extension (SEP-2640). Declares the extension unless `clientCapabilities` overrides it. For a server without the extension, returns `support.active: false`.',
  method: 'POST',
  body: LiveBody,
  example: {},
  response: z
    .object({
      support: Support,
      serverId: z.string(),
      skills: z.array(Summary),
      duplicateUris: z
        .array(z.string())
        .describe('URIs that are listed more than once. All copies are omitted.'),
      rejected: z
        .array(z.object({ skillUri: z.string().optional(), reason: z.string().optional() }))
        .describe('Entries that violate the extension.'),
      ttlMs: z.number().int().optional().describe('Cache lifetime declared by the server.'),
      cacheScope: z.string().optional(),
    })
    .meta({ id: 'ServerSkillCatalog' }),
  errors: liveErrors,
  readOnly: true,
  bulky: true,
});

export const getServerSkill = operation({
  command: 'servers get-skill',
  summary: 'Read a skill of a server',
  description:
    'Reads the SKILL.md and verifies it against the listing: length, digest, frontmatter, and the name against the URI. If a check fails, returns `refusal` instead of `skill`.',
  path: '/get',
  method: 'POST',
  body: z.looseObject({ ...liveOptions, uri: uri.describe('URI of the SKILL.md.') }),
  example: { uri: 'skill://acme/refunds/SKILL.md' },
  response: z
    .object({
      support: Support,
      skill: z
        .object({
          ...identity,
          content: z.string().describe('SKILL.md without its frontmatter.'),
          contentSha256: z.string().describe('SHA-256 of the complete SKILL.md, in hexadecimal.'),
        })
        .meta({ id: 'VerifiedServerSkill' })
        .optional(),
      refusal: Refusal.optional(),
    })
    .meta({ id: 'ServerSkillResult', description: 'Has either `skill` or `refusal`.' }),
  errors: liveErrors,
  readOnly: true,
  bulky: true,
});

export const readServerSkillFile = operation({
  command: 'servers read-skill-file',
  summary: 'Read a file of a skill of a server',
  description:
    'Fetches the listing of the skill again. The file must be listed, with matching length and digest.',
  path: '/read-file',
  method: 'POST',
  body: z.looseObject({
    ...liveOptions,
    skillUri: uri.describe('URI of the SKILL.md.'),
    resourceUri: uri.describe('URI of the file.'),
  }),
  example: {
    skillUri: 'skill://acme/refunds/SKILL.md',
    resourceUri: 'skill://acme/refunds/references/limits.md',
  },
  response: z
    .object({
      support: Support,
      file: z
        .object({
          uri: z.string(),
          text: z.string().describe('Empty if the file is not UTF-8 text; `blob` has its content then.'),
          blob: z.string().optional().describe('Content in base64.'),
          digest: z.string(),
        })
        .optional(),
      refusal: Refusal.optional(),
    })
    .meta({ id: 'ServerSkillFileResult', description: 'Has either `file` or `refusal`.' }),
  errors: liveErrors,
  readOnly: true,
  bulky: true,
});
