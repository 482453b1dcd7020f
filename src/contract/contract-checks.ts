import { z } from 'zod';
import { liveErrors, liveOptions } from './live.ts';
import { operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({
  area: 'Export',
  path: '/projects/{projectId}/servers/{serverId}',
  access: 'project member',
});

const mebibyte = 1024 * 1024;
/** Bytes of JSON that a baseline has at most, and values in it. */
export const largestBaseline = 4 * mebibyte;
export const mostBaselineElements = 200_000;
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
      'An export as `exportServer` answers it. What says when and how it was made may be left out, and is not compared.',
  });

const hash = z.string().describe('As `contentHash` of an export.');
const impact = z.enum(['breaking', 'risky', 'safe']);
const count = z.number().int().min(0);

const Difference = z
  .object({
    impact: impact.describe(
      '`breaking`: what worked may fail. `risky`: models read it, or nobody can tell what it does. `safe`: nothing that worked stops working.',
    ),
    kind: z.enum(['removed', 'added', 'required', 'optional', 'narrowed', 'widened', 'changed', 'text']),
    subject: z.string().describe('What it is about, as `tool add_ship`.'),
    pointer: z.string().describe('JSON pointer into the document that `in` names.'),
    in: z.enum(['baseline', 'current']),
    message: z.string(),
    before: z.unknown().optional().describe('Where it is small; a long text is cut.'),
    after: z.unknown().optional(),
  })
  .meta({ id: 'ContractDifference' });

export const checkServerContract = operation({
  command: 'servers check-contract',
  summary: 'Compare a server with a baseline of it',
  description:
    'Exports the server and says what changed for those who use it. Without `baseline` it is held against the saved one. The worst differences come first; `counts` has all of them.',
  path: '/contract-check',
  method: 'POST',
  bodyLimit,
  body: z
    .looseObject({
      ...liveOptions,
      baseline: Baseline.optional().describe('Left out, the saved one.'),
      failOn: z.enum(['breaking', 'risky']).default('breaking').describe('The least that fails the check.'),
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
      truncated: z.boolean().describe('Whether there are more than are listed.'),
    })
    .meta({ id: 'ContractCheck' }),
  errors: liveErrors,
  readOnly: true,
  bulky: true,
});

const saved = {
  savedAt: Time,
  savedBy: z.string().nullable().describe('The user, if there still is one.'),
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
    'What is sent, or the server as it is now; the one before is replaced. At most 4 MiB. It goes with the server.',
  path: '/contract-baseline',
  method: 'PUT',
  bodyLimit,
  body: z
    .looseObject({
      ...liveOptions,
      export: Baseline.optional().describe('Left out, the server is exported now.'),
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
