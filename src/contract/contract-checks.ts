import { z } from 'zod';
import { count } from './fields.ts';
import { liveErrors, liveOptions } from './live.ts';
import { operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({
  area: 'Export',
  path: '/projects/{projectId}/servers/{serverId}',
  access: 'project member',
});

const mebibyte = 1024 * 1024;
/** Limits of a baseline: bytes of JSON, and number of values. */
export const largestBaseline = 4 * mebibyte;
export const maxBaselineElements = 200_000;
const bodyLimit = 6 * mebibyte;

const listed = z.looseObject({});

const Baseline = z
  .looseObject({
    server: listed.nullish(),
    protocolVersion: z.string().nullish(),
    instructions: z.string().nullish(),
    capabilities: listed.nullish(),
    tools: z.array(listed),
    resources: z.array(listed).default([]),
    resourceTemplates: z.array(listed).default([]),
    prompts: z.array(listed).default([]),
  })
  .meta({
    id: 'ContractBaseline',
    description:
      'An export as `exportServer` returns it. Metadata about when and how it was made is optional and not compared.',
  });

const hash = z.string().describe('`contentHash` of the export.');
const impact = z.enum(['breaking', 'risky', 'safe']);

const Difference = z
  .object({
    impact: impact.describe(
      '`breaking`: existing callers may fail. `risky`: text that models read has changed, or the effect is unknown. `safe`: existing callers keep working.',
    ),
    kind: z.enum(['removed', 'added', 'required', 'optional', 'narrowed', 'widened', 'changed', 'text']),
    subject: z.string().describe('Changed item, for example `tool add_ship`.'),
    pointer: z.string().describe('JSON pointer into the document named by `in`.'),
    in: z.enum(['baseline', 'current']),
    message: z.string(),
    before: z.unknown().optional().describe('Only if it is small. Long text is truncated.'),
    after: z.unknown().optional(),
  })
  .meta({ id: 'ContractDifference' });

export const checkServerContract = operation({
  command: 'servers check-contract',
  summary: 'Compare a server with a baseline',
  description:
    'Exports the server and lists changes that affect its callers, most severe first; `counts` includes all of them. Default baseline: the saved one.',
  path: '/contract-check',
  method: 'POST',
  bodyLimit,
  body: z
    .looseObject({
      ...liveOptions,
      baseline: Baseline.optional().describe('Default: the saved baseline.'),
      failOn: z
        .enum(['breaking', 'risky'])
        .default('breaking')
        .describe('Lowest impact that fails the check.'),
    })
    .meta({ id: 'ContractCheckRequest' }),
  example: { baseline: { tools: [{ name: 'add_numbers' }] } },
  response: z
    .object({
      result: z.enum(['passed', 'failed']),
      failOn: z.enum(['breaking', 'risky']),
      baseline: z.object({ source: z.enum(['request', 'saved']), savedAt: Time.optional(), hash }),
      current: z.object({ exportedAt: z.iso.datetime(), hash }),
      counts: z.object({ breaking: count, risky: count, safe: count }),
      differences: z.array(Difference),
      truncated: z.boolean().describe('Whether there are more differences than listed.'),
    })
    .meta({ id: 'ContractCheck' }),
  errors: liveErrors,
  readOnly: true,
  bulky: true,
});

const saved = {
  savedAt: Time,
  savedBy: z.string().nullable().describe('User who saved it, if the account still exists.'),
  hash,
};

export const getServerContractBaseline = operation({
  summary: 'Read the baseline of a server',
  path: '/contract-baseline',
  response: z
    .object({
      ...saved,
      export: z.looseObject({
        tools: z.array(listed),
        resources: z.array(listed),
        resourceTemplates: z.array(listed),
        prompts: z.array(listed),
      }),
    })
    .meta({ id: 'SavedContractBaseline' }),
  bulky: true,
});

export const setServerContractBaseline = operation({
  summary: 'Save the baseline of a server',
  description:
    'Saves the given export, or exports the server now. Replaces the previous baseline. Limit: 4 MiB. Deleting the server deletes its baseline.',
  path: '/contract-baseline',
  method: 'PUT',
  bodyLimit,
  body: z
    .looseObject({
      ...liveOptions,
      export: Baseline.optional().describe('Default: export the server now.'),
    })
    .meta({ id: 'ContractBaselineInput' }),
  example: { export: { tools: [{ name: 'add_numbers' }] } },
  response: z.object(saved).meta({ id: 'ContractBaselineSaved' }),
  errors: liveErrors,
});

export const deleteServerContractBaseline = operation({
  summary: 'Remove the baseline of a server',
  path: '/contract-baseline',
  method: 'DELETE',
  response: z.object({ serverId: z.string(), deleted: z.literal(true) }),
});
