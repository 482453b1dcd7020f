import { z } from 'zod';
import { EvalCheck } from './eval-checks.ts';
import { id } from './fields.ts';
import { writeLike } from './messages.ts';

const toolName = z.string().trim().min(1).max(300);

const target = z
  .strictObject({
    role: z
      .strictObject({
        role: z.string().min(1).max(100),
        name: z.string().max(500).optional(),
        exact: z.boolean().optional(),
      })
      .optional(),
    text: z.string().min(1).max(500).optional(),
    css: z.string().min(1).max(500).optional(),
    testId: z.string().min(1).max(200).optional(),
    nth: z.number().int().min(0).max(1000).optional(),
  })
  .refine(
    ({ role, text, css, testId }) =>
      role !== undefined || text !== undefined || css !== undefined || testId !== undefined,
    'Give at least one of role, text, css, testId',
  )
  .meta({ id: 'EvalWidgetTarget', description: 'An element of a rendered widget.' });

const action = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('click'),
    target,
    clickType: z.enum(['left', 'double', 'right']).optional(),
  }),
  z.strictObject({ kind: z.literal('type'), target, text: z.string().max(5000) }),
  z.strictObject({ kind: z.literal('key'), key: z.string().min(1).max(50) }),
  z.strictObject({
    kind: z.literal('scroll'),
    direction: z.enum(['up', 'down']),
    amount: z.number().int().min(1).max(100_000).optional(),
  }),
  z.strictObject({ kind: z.literal('wait'), ms: z.number().int().min(0).max(30_000) }),
]);

export const widgetAssertion = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('textVisible'), toolName, text: z.string().min(1).max(5000) }),
  z.strictObject({ kind: z.literal('elementVisible'), toolName, target }),
  z.strictObject({ kind: z.literal('elementHidden'), toolName, target }),
  z.strictObject({ kind: z.literal('inputValue'), toolName, target, equals: z.string().max(5000) }),
  z.strictObject({ kind: z.literal('widgetToolCalled'), toolName, calledToolName: toolName }),
]);
export type WidgetAssertion = z.output<typeof widgetAssertion>;

/** Distinguishes the two forms by their discriminator: `type` for a check, `kind` for a widget assertion. */
const assertion = z.custom<unknown>().transform((value, context) => {
  const schema = isObject(value) && 'kind' in value && !('type' in value) ? widgetAssertion : EvalCheck;
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  // The schema of the whole body reports values of the wrong type.
  for (const { message, ...issue } of parsed.error.issues)
    context.addIssue(issue.code === 'invalid_type' ? issue : { ...issue, message });
  return z.NEVER;
});

const maxArgumentText = 100_000;
const likeStep = writeLike('{"id": "1", "kind": "prompt", "prompt": "…"}');

/** A step of a case. Steps run in order. */
const EvalStep = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({ id, kind: z.literal('prompt'), prompt: z.string().min(1).max(100_000) }),
      z.strictObject({
        id,
        kind: z.literal('toolCall'),
        serverName: z.string().trim().min(1).max(200),
        serverId: z.string().min(1).max(128).optional(),
        toolName,
        arguments: z
          .record(z.string(), z.unknown())
          .refine(
            (value) => JSON.stringify(value).length <= maxArgumentText,
            `Must be at most ${maxArgumentText.toLocaleString('en')} characters of JSON`,
          ),
        renderTimeoutMs: z.number().int().min(1).max(120_000).optional(),
      }),
      z.strictObject({ id, kind: z.literal('interact'), toolName, action }),
      z.strictObject({ id, kind: z.literal('assert'), assertion }),
    ],
    likeStep,
  )
  .meta({ id: 'EvalTestStep' });
export type Step = z.output<typeof EvalStep>;

export const EvalSteps = z
  .array(EvalStep)
  .min(1)
  .max(200)
  .superRefine((steps, context) => {
    const seen = new Set<string>();
    steps.forEach((step, index) => {
      if (seen.has(step.id))
        context.addIssue({
          code: 'custom',
          path: [index, 'id'],
          message: `Another step has the ID ${JSON.stringify(step.id)}`,
        });
      seen.add(step.id);
    });
  });

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
