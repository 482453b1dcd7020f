import { z } from 'zod';
import { LiveBody, liveErrors, liveOptions } from './live.ts';
import { operationsIn } from './operation.ts';

const operation = operationsIn({
  area: 'Primitives',
  path: '/projects/{projectId}/servers/{serverId}/skills',
  access: 'project member',
});

/** What a skill may hold: hosts accept as much, and more is not loaded. */
export const skillLimits = { files: 512, bytes: 16 * 1024 * 1024 } as const;

const uri = z.string().min(1).max(16384);

const Support = z
  .object({
    declared: z.boolean().describe('We declared the extension to the server.'),
    advertised: z.boolean().describe('The server declares it.'),
    directoryRead: z.boolean().describe('The server also lists folders.'),
    active: z.boolean().describe('Both sides declared it, so that skills can be read.'),
  })
  .meta({ id: 'ServerSkillsSupport' });

const ResourceRef = z
  .object({
    uri: z.string(),
    digest: z.string().describe('`sha256:` and 64 hexadecimal digits.'),
    size: z.number().int().min(0).optional().describe('In bytes.'),
  })
  .meta({ id: 'ServerSkillResourceRef', description: 'One file of a skill. Only listed files are read.' });

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
    expected: z.string().optional().describe('What the listing says.'),
    actual: z.string().optional().describe('What came instead.'),
    field: z.string().optional().describe('Of the frontmatter.'),
  })
  .meta({ id: 'ServerSkillRefusal', description: 'Why what the server sent was not accepted.' });

export type ServerSkillRefusal = z.infer<typeof Refusal>;

const identity = {
  serverId: z.string(),
  skillUri: z.string().describe('The address of its SKILL.md, which is what identifies it.'),
  name: z.string(),
  description: z.string(),
  resources: z.array(ResourceRef),
  frontmatter: z.unknown().optional().describe('As the server lists it.'),
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
      .describe('Why its files would not be read.'),
  })
  .meta({ id: 'ServerSkillSummary' });

export const listServerSkills = operation({
  command: 'servers skills',
  summary: "List a server's skills",
  description:
    'All pages of the skills that a server offers by the MCP extension for skills (SEP-2640). The extension is declared to it unless `clientCapabilities` says otherwise. A server without it is a normal answer with `support.active: false`.',
  method: 'POST',
  body: LiveBody,
  example: {},
  response: z
    .object({
      support: Support,
      serverId: z.string(),
      skills: z.array(Summary),
      duplicateUris: z.array(z.string()).describe('Listed more than once; every copy is left out.'),
      rejected: z
        .array(z.object({ skillUri: z.string().optional(), reason: z.string().optional() }))
        .describe('Entries that do not follow the extension.'),
      ttlMs: z.number().int().optional().describe('How long the server says that this holds.'),
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
    'Reads its SKILL.md and holds it against the entry of the server: length, digest, frontmatter, and the name against the address. What fails a check is not passed on: the answer then has `refusal` instead of `skill`.',
  path: '/get',
  method: 'POST',
  body: z.looseObject({ ...liveOptions, uri: uri.describe('Of its SKILL.md.') }),
  example: { uri: 'skill://acme/refunds/SKILL.md' },
  response: z
    .object({
      support: Support,
      skill: z
        .object({
          ...identity,
          content: z.string().describe('SKILL.md without its frontmatter.'),
          contentSha256: z.string().describe('Of the whole SKILL.md, in hexadecimal.'),
        })
        .meta({ id: 'VerifiedServerSkill' })
        .optional(),
      refusal: Refusal.optional(),
    })
    .meta({ id: 'ServerSkillResult', description: 'With either `skill` or `refusal`.' }),
  errors: liveErrors,
  readOnly: true,
  bulky: true,
});

export const readServerSkillFile = operation({
  command: 'servers read-skill-file',
  summary: 'Read a file of a skill of a server',
  description:
    'The entry of the skill is fetched anew. The file must be listed in it, and have the length and the digest that it says.',
  path: '/read-file',
  method: 'POST',
  body: z.looseObject({
    ...liveOptions,
    skillUri: uri.describe('Of its SKILL.md.'),
    resourceUri: uri.describe('Of the file.'),
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
          text: z.string().describe('Empty where the file is not text in UTF-8; `blob` has it then.'),
          blob: z.string().optional().describe('In base64.'),
          digest: z.string(),
        })
        .optional(),
      refusal: Refusal.optional(),
    })
    .meta({ id: 'ServerSkillFileResult', description: 'With either `file` or `refusal`.' }),
  errors: liveErrors,
  readOnly: true,
  bulky: true,
});
