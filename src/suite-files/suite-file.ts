import { z } from 'zod';
import {
  CaseModel,
  DeclaredId,
  expectedOutput,
  fraction,
  ImportClaim,
  intent,
  judge,
  kind,
  models,
  scenario,
  source,
} from '../contract/eval-cases.ts';
import { type Check, EvalCheck, MatchOptions, SuppressedChecks } from '../contract/eval-checks.ts';
import { GatePolicy } from '../contract/eval-gates.ts';
import { EvalSteps, type Step } from '../contract/eval-steps.ts';
import { Provenance } from '../contract/eval-suite-files.ts';
import {
  description,
  JudgeSettings,
  SuiteHosts,
  systemPrompt,
  temperature,
  Validity,
} from '../contract/eval-suites.ts';
import { Name } from '../contract/fields.ts';
import { authoringProblem } from '../evaluation/index.ts';
import { problemsFound } from './problem.ts';
import { FileServers } from './servers.ts';

/** `code` identifies a problem for programs. */
const coded = (
  code: 'REPETITIONS_CAP' | 'TOOL_POLICY_UNSUPPORTED',
  message: string,
  path: PropertyKey[] = [],
) => ({
  code: 'custom' as const,
  params: { code },
  message,
  path,
});

export const maxTrials = 10;
/** The format allows up to 100, but this service runs fewer. */
const trials = z
  .number()
  .int()
  .min(1)
  .max(100)
  .superRefine((count, context) => {
    if (count > maxTrials && count <= 100)
      context.addIssue(coded('REPETITIONS_CAP', `At most ${maxTrials} trials of a case are run here`));
  })
  .meta({ maximum: maxTrials, description: 'Number of trials per case.' });

const toolNames = z.array(z.string().trim().min(1).max(300)).max(200).optional();
const toolPolicy = z
  .strictObject({ mode: z.enum(['default', 'readOnly']), allow: toolNames, deny: toolNames })
  .superRefine(({ mode, allow, deny }, context) => {
    const path = mode === 'readOnly' ? 'mode' : allow ? 'allow' : deny ? 'deny' : undefined;
    if (path !== undefined)
      context.addIssue(
        coded('TOOL_POLICY_UNSUPPORTED', 'Only {mode: default} is supported: every tool may be called', [
          path,
        ]),
      );
  })
  .meta({ properties: { mode: { const: 'default' } }, description: 'Only `mode: default` is supported.' });

const target = z
  .strictObject({
    servers: z
      .array(
        z.strictObject({
          name: z.string().trim().min(1).max(200),
          id: z.string().min(1).max(128).optional(),
        }),
      )
      .min(1)
      .max(100)
      .optional()
      .describe('Saved servers of the project.'),
    environment: z.string().trim().min(1).max(200).optional().describe('By name or ID.'),
    hosts: SuiteHosts.optional().describe('Clients to run as.'),
  })
  .refine(
    ({ servers, environment, hosts }) => [servers, environment, hosts].some((one) => one !== undefined),
    'Give servers, an environment, or hosts',
  )
  .meta({
    anyOf: [{ required: ['servers'] }, { required: ['environment'] }, { required: ['hosts'] }],
    description: 'The servers, environment or clients of the runs.',
  });

const { model, provider } = CaseModel.shape;

type Version = '1' | '2';

/** Maximum characters of the JSON schemas in all cases together, each of which is compiled for validation. */
const largestSchemas = 65_536;

interface PlacedCheck {
  check: Check;
  path: PropertyKey[];
}

/** Validates what the schema cannot: fields of the other version, patterns and JSON schemas. */
function checkChecks(version: Version, checks: readonly PlacedCheck[], context: z.RefinementCtx): void {
  let left = largestSchemas;
  for (const { check, path } of checks) {
    const fail = (message: string, ...below: PropertyKey[]): void =>
      context.addIssue({ code: 'custom', path: [...path, ...below], message });
    if (version === '1' && check.role === 'required')
      fail('"required" belongs to schemaVersion "2"; write "gating"', 'role');
    if (check.type === 'toolResultMatchesSchema') left -= JSON.stringify(check.schema).length;
    if (left < 0) {
      fail(
        `The schemas of all cases together are at most ${largestSchemas.toLocaleString('en')} characters`,
        'schema',
      );
      return;
    }
    const problem = authoringProblem(check);
    if (problem) fail(problem.message, ...problem.path);
  }
}

const list = z.array(EvalCheck).max(50).optional().describe('Judge the whole trial.');
const ofAll = z
  .array(EvalCheck)
  .max(50)
  .optional()
  .describe('Checks of every case. Default: those of a new suite, which do not affect the verdict.');
const checkMode = z
  .enum(['inherit', 'replace', 'extend'])
  .optional()
  .describe("How the case's checks combine with those of `defaults`. Default: `extend`.");
const said = {
  id: DeclaredId.describe('Permanent ID of the case, unique in the file.'),
  title: Name,
  intent: intent.optional(),
  kind: kind.optional(),
  steps: EvalSteps.describe('Run in order; the first failure ends the trial.'),
};
const expected = {
  expectedOutput: expectedOutput.optional(),
  isNegativeTest: z.boolean().optional().describe('Passes when the model calls no tool.'),
  model: model.optional().describe('Overrides that of `defaults`.'),
  models: models.min(1).optional().describe('Instead of `model`: the case runs with each.'),
  matchOptions: MatchOptions.optional(),
  failOnToolError: z.boolean().optional().describe('False: a failed tool call does not fail the trial.'),
  suppressedSuiteStandardCheckIds: SuppressedChecks.optional(),
  judge: judge.optional(),
  scenario: scenario.optional(),
};
const decided = {
  passThreshold: fraction.optional().describe('Required pass rate of trials, 0 to 1.'),
  disabled: z.boolean().optional().describe('Stored but not run.'),
  import: ImportClaim.optional().describe('For a converted case: the fidelity of the conversion.'),
  source: source.optional().describe('For a case drafted from a text: the position in it.'),
};
const asked = {
  model,
  provider,
  systemPrompt: systemPrompt.optional(),
  temperature: temperature.optional(),
};
const judged = {
  judge: JudgeSettings.optional(),
  passThreshold: fraction.describe('Required pass rate of the trials of each case, 0 to 1.'),
  qualityGate: GatePolicy.optional(),
  validity: Validity.extend({ minEligibleTrials: z.number().int().min(0).max(100).optional() }).optional(),
  matchOptions: MatchOptions.optional(),
  toolPolicy: toolPolicy.optional(),
};
const head = {
  $schema: z.string().max(2048).optional().describe('URL of this schema, for JSON editors.'),
  notes: z
    .array(z.string().max(1000))
    .max(20)
    .optional()
    .describe('Notes for readers; an export lists here what the file does not contain.'),
  mode: z.literal('agentWorkflow').optional(),
  reportingMode: z.literal('standard').optional(),
  captureLevel: z.literal('full').optional(),
  suite: z.strictObject({
    id: DeclaredId.describe('Permanent ID of the suite in its project.'),
    name: Name,
    description: description.optional(),
  }),
  servers: FileServers.optional(),
  target,
};

interface AnyCase {
  id: string;
  steps: readonly Step[];
  model?: string | undefined;
  models?: readonly unknown[] | undefined;
  checks?: readonly Check[] | undefined;
  assertions?: readonly Check[] | undefined;
}

function checkCases(version: Version, cases: readonly AnyCase[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { id, model: one, models: several }] of cases.entries()) {
    const fail = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [index, field], message });
    if (seen.has(id)) fail('id', `Another case has the ID ${JSON.stringify(id)}`);
    seen.add(id);
    if (one !== undefined && several) fail('models', 'Conflicts with model. Give only one of them');
  }
  checkChecks(version, cases.flatMap(placedChecks), context);
}

function placedChecks({ steps, checks, assertions }: AnyCase, index: number): PlacedCheck[] {
  const field = checks ? 'checks' : 'assertions';
  return [
    ...steps.flatMap((step, at) =>
      step.kind === 'assert' && 'type' in step.assertion
        ? [{ check: step.assertion, path: [index, 'steps', at, 'assertion'] }]
        : [],
    ),
    ...(checks ?? assertions ?? []).map((check, at) => ({ check, path: [index, field, at] })),
  ];
}

function checkDefaults(
  version: Version,
  { checks, assertions }: Pick<AnyCase, 'checks' | 'assertions'>,
  context: z.RefinementCtx,
): void {
  const field = checks ? 'checks' : 'assertions';
  const placed = (checks ?? assertions ?? []).map((check, at) => ({ check, path: [field, at] }));
  checkChecks(version, placed, context);
}

const purpose = 'Prompts for the model, and assertions on the results.';
const first = z.strictObject({
  schemaVersion: z.literal('1').describe('Version 1, with `repetitions` and `checks`.'),
  ...head,
  defaults: z
    .strictObject({ ...asked, repetitions: trials, ...judged, checks: ofAll })
    .superRefine((given, context) => checkDefaults('1', given, context)),
  provenance: Provenance.optional(),
  cases: z
    .array(
      z
        .strictObject({
          ...said,
          checks: list,
          checksMode: checkMode,
          ...expected,
          repetitions: trials.optional(),
          ...decided,
        })
        .describe(purpose),
    )
    .min(1)
    .max(500)
    .superRefine((cases, context) => checkCases('1', cases, context)),
});
const second = z.strictObject({
  schemaVersion: z.literal('2').describe('Version 2, with `iterations` and `assertions`.'),
  ...head,
  defaults: z
    .strictObject({ ...asked, iterations: trials, ...judged, assertions: ofAll })
    .superRefine((given, context) => checkDefaults('2', given, context)),
  provenance: Provenance.optional(),
  cases: z
    .array(
      z
        .strictObject({
          ...said,
          assertions: list,
          assertionsMode: checkMode,
          ...expected,
          iterations: trials.optional(),
          ...decided,
        })
        .describe(purpose),
    )
    .min(1)
    .max(500)
    .superRefine((cases, context) => checkCases('2', cases, context)),
});

/** The suite file format. Parsed files keep the fields of their version. */
export const SuiteFile = z.discriminatedUnion('schemaVersion', [first, second], {
  error: ({ code }) =>
    code === 'invalid_union' ? 'Must be "1" or "2", in quotes: schemaVersion: "2"' : undefined,
});
export type SuiteFile = z.output<typeof SuiteFile>;

/** Validates a generated suite file and sorts its keys like the schema. Problems have no line numbers yet. */
export function asSuiteFile(value: unknown): SuiteFile {
  const parsed = SuiteFile.safeParse(value);
  if (parsed.success) return parsed.data;
  throw problemsFound(
    parsed.error.issues.map(({ path, message }) => ({
      line: 1,
      column: 1,
      path: path.map(String).join('.'),
      message,
    })),
  );
}
