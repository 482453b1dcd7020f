import { z } from 'zod';

/** Whether a check decides the verdict or is advisory. `required` is the newer spelling of `gating`. */
const role = z.enum(['gating', 'advisory', 'required']).optional();
const severity = z.literal('warn', 'Must be "warn"').optional().describe('Only with `role: "advisory"`.');

const toolName = z.string().trim().min(1).max(300);
const anyTool = toolName.optional().describe('Default: all tools.');
const positive = z.number().int().min(1).max(1_000_000_000);
const needle = z.string().min(1).max(1000);
const caseSensitive = z.boolean().optional();
const object = z.record(z.string(), z.unknown());

const patterns = z
  .array(z.string().min(1).max(512))
  .min(1)
  .max(8)
  .describe('Regular expressions in RE2 syntax. All must match.');
const flags = z.enum(['i', 'm', 's', 'im', 'is', 'ms', 'ims']).optional();
const path = z
  .string()
  .min(2)
  .max(257)
  .regex(/^\/[^/]+$/, 'Must be a JSON pointer with one segment, like /city')
  .optional();
const min = z.number().int().min(0).max(1000).optional();
const max = z.number().int().min(0).max(1000).optional();
const countable = { patterns, flags, path, min, max };

export const ArgumentMatching = z.enum(['exact', 'partial', 'ignore']);

/** Parameters of each kind of check, besides `type`, `role` and `severity`. */
const parameters = {
  toolCalledWith: {
    toolName,
    args: z.strictObject({ args: object, argumentMatching: ArgumentMatching.optional() }),
    minCount: positive.optional(),
  },
  toolCalledAtLeastOnce: { toolName },
  toolNeverCalled: { toolName },
  firstToolWas: { toolName },
  onlyToolsCalled: { toolNames: z.array(toolName).max(200) },
  toolCalledBefore: { toolName, beforeToolName: toolName },
  toolCallCountUnder: { count: positive, toolName: anyTool },
  noRepeatedIdenticalCall: { toolName: anyTool },
  argumentsMatchToolSchema: { toolName: anyTool },
  toolInputMatches: { toolName, ...countable },
  toolResultMatches: { toolName: anyTool, ...countable },
  noDeprecatedToolCalled: {},
  noDestructiveToolCalled: {},
  noToolErrors: {},
  toolErrorNamesInput: { toolName: anyTool },
  toolLatencyUnder: { ms: positive, toolName: anyTool },
  toolResultContains: { needle, caseSensitive, toolName: anyTool },
  toolResultMatchesSchema: { schema: object, toolName: anyTool },
  toolResultSizeUnder: { maxBytes: positive, toolName: anyTool },
  fullPageHasContinuation: { toolName: anyTool },
  responseContains: { needle: z.string().min(1).max(10_000), caseSensitive },
  responseMatches: { pattern: z.string().min(1).max(2000) },
  responseCloseTo: {
    reference: z.string().min(1).max(100_000),
    maxDistance: z.number().min(0).max(1),
    caseSensitive,
    normalizeWhitespace: z.boolean().optional(),
  },
  finalAssistantMessageNonEmpty: {},
  noEndingQuestion: {},
  tokenBudgetUnder: { tokens: positive },
  turnCountUnder: { turns: positive },
  widgetRendered: { toolName: anyTool },
  widgetRenderLatencyUnder: { ms: positive, toolName: anyTool },
  widgetNoConsoleErrors: { toolName: anyTool },
  toolDescriptionsPresent: { minLength: positive.optional() },
  toolAnnotationsPresent: {
    require: z
      .array(z.enum(['readOnlyHint', 'destructiveHint']))
      .max(2)
      .refine((hints) => new Set(hints).size === hints.length, 'Names a hint twice')
      .optional(),
  },
  toolNamesUnique: {},
  noDeprecatedToolExposed: {},
  toolInputSchemasWellFormed: {},
  toolOutputSchemasPresent: {},
} satisfies Record<string, z.ZodRawShape>;

export type CheckType = keyof typeof parameters;

/** Kinds that only observe. They are always advisory. */
export const observations: ReadonlySet<string> = new Set([
  'noRepeatedIdenticalCall',
  'noDeprecatedToolCalled',
  'toolErrorNamesInput',
  'fullPageHasContinuation',
  'noEndingQuestion',
  'noDeprecatedToolExposed',
] satisfies CheckType[]);

/** `unknown` for kinds without parameters: the type of an empty object forbids all properties, `type` too. */
type ParametersOf<Type extends CheckType> = keyof (typeof parameters)[Type] extends never
  ? unknown
  : z.output<z.ZodObject<(typeof parameters)[Type]>>;

/** Input of a check of one kind. */
export type CheckOf<Type extends CheckType> = ParametersOf<Type> & {
  type: Type;
  role?: z.output<typeof role>;
  severity?: z.output<typeof severity>;
};
/** Input of a check of any kind. */
export type Check = { [Type in CheckType]: CheckOf<Type> }[CheckType];

const types = Object.keys(parameters) as CheckType[];
const [first, ...others] = types.map(
  (type): z.ZodObject => z.strictObject({ type: z.literal(type), ...parameters[type], role, severity }),
) as [z.ZodObject, ...z.ZodObject[]];

/** Names two examples: the list of kinds is too long for a message. */
const unknownType = {
  error: ({ code }: z.core.$ZodRawIssue) =>
    code === 'invalid_union'
      ? 'Must be a kind of check, like "noToolErrors" or "toolCalledWith"; the API document lists them at EvalAssertion'
      : undefined,
};

const untypedCheck = z
  .discriminatedUnion('type', [first, ...others], unknownType)
  .superRefine((check, context) => {
    const { type, role, severity } = check as Check;
    if (severity !== undefined && role !== 'advisory')
      context.addIssue({
        code: 'custom',
        path: ['severity'],
        message: 'Only allowed with "role": "advisory"',
      });
    if (observations.has(type) && role !== 'advisory')
      context.addIssue({
        code: 'custom',
        path: ['role'],
        message: `A ${type} check only observes; write "role": "advisory"`,
      });
    const { min = 1, max } = check as { min?: number; max?: number };
    if (max !== undefined && max < min)
      context.addIssue({ code: 'custom', path: ['max'], message: `Must be at least min, which is ${min}` });
    if (min === 0 && max === undefined)
      context.addIssue({ code: 'custom', path: ['max'], message: 'Required when min is 0' });
  });

/** A condition that a trial is judged by. Also called an assertion or a predicate. */
export const EvalCheck: z.ZodType<Check, Check> = (untypedCheck as unknown as z.ZodType<Check, Check>).meta({
  id: 'EvalAssertion',
});

/** Combines the checks of a case with those of its suite. */
export const CaseChecks = z
  .strictObject({
    mode: z.enum(['inherit', 'replace', 'extend']).default('inherit'),
    list: z.array(EvalCheck).max(50).default([]),
  })
  .meta({ id: 'EvalCaseChecks' });

/** Standard checks that a case can switch off. Each stands for one or more checks of the suite. */
export const standardCheckIds = [
  'discovery.description',
  'discovery.annotations',
  'discovery.collisions',
  'discovery.deprecated',
  'call.schema',
  'response.schema',
  'selection.hops',
  'call.parameters',
  'call.repeated',
  'response.performance',
  'response.size',
  'response.errors',
  'response.recovery',
  'response.pagination',
  'userValue.turns',
] as const;
export type StandardCheckId = (typeof standardCheckIds)[number];

export const SuppressedChecks = z
  .array(z.enum(standardCheckIds))
  .max(64)
  .transform((ids) => [...new Set(ids)].sort());

/** Accepts the spellings of both vocabularies, one per option. Responses use the first three fields. */
export const MatchOptions = z
  .strictObject({
    toolCallOrder: z.enum(['any', 'in-order', 'exact', 'ignore', 'superset', 'strict']).optional(),
    extraToolCalls: z.union([z.literal('unlimited'), z.number().int().min(0).max(1000)]).optional(),
    arguments: ArgumentMatching.optional(),
    maxExtraToolCalls: z.number().int().min(0).max(1000).nullable().optional(),
    allowExtraToolCalls: z.boolean().optional(),
    argumentMatching: ArgumentMatching.optional(),
  })
  .superRefine((options, context) => {
    const twice = (a: keyof typeof options, b: keyof typeof options): void => {
      if (options[a] !== undefined && options[b] !== undefined)
        context.addIssue({
          code: 'custom',
          path: [b],
          message: `Cannot be combined with ${a}; send only one`,
        });
    };
    twice('extraToolCalls', 'maxExtraToolCalls');
    twice('extraToolCalls', 'allowExtraToolCalls');
    twice('maxExtraToolCalls', 'allowExtraToolCalls');
    twice('arguments', 'argumentMatching');
  })
  .meta({ id: 'EvalMatchOptions' });
