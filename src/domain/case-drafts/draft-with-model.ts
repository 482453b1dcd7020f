import { z } from 'zod';
import { Refusal } from '../../contract/errors.ts';
import type { Step } from '../../contract/eval-steps.ts';
import { Name } from '../../contract/fields.ts';
import { ModelFailure } from '../../models/failure.ts';
import type { ModelRoute } from '../../models/resolve.ts';
import { timeoutSignal } from '../../platform/flow/deadline.ts';

import { asStorable } from '../../platform/json/storable.ts';

import type { ProjectContext } from '../context/context.ts';
import { SpendCapReached } from '../limits/spend-cap.ts';
import { askForJson } from '../model-calls/ask-for-json.ts';
import { openModel } from '../model-calls/open-model.ts';
import { partsForRequest } from '../model-calls/request-parts.ts';
import type { CaseDraft, Mix, ToolToTry } from './draft.ts';

const Written = z.object({
  title: z.string().transform(asStorable).pipe(Name),
  prompts: z
    .array(z.string().transform(asStorable).pipe(z.string().trim().min(1).max(4000)))
    .min(1)
    .max(6),
  expectedTools: z
    .array(z.array(z.string().max(300)).max(10))
    .max(6)
    .default([]),
  negative: z.boolean().default(false),
});

/** Maximum number of characters of tool declarations sent to the model. */
const maxShown = 60_000;
const timeoutMs = 120_000;

export interface Drafted {
  drafts: CaseDraft[];
  skipped: { title?: string; reason: string }[];
}

/** Asks a language model for cases. Each is validated like user input; unusable ones are reported. */
export async function draftWithModel(
  drafting: Drafting,
  tools: readonly ToolToTry[],
  mix: Mix,
  varyUserStyles: boolean,
): Promise<Drafted> {
  try {
    const user = request(tools, mix, varyUserStyles);
    return read(await askForDrafts(drafting, { system: instructions, user }), tools);
  } catch (error) {
    if (error instanceof SpendCapReached) throw error.refusal;
    if (!(error instanceof ModelFailure)) throw error;
    throw new Refusal(
      error.kind === 'aborted' ? 'TIMEOUT' : 'SERVER_UNREACHABLE',
      `The drafting model failed: ${error.message}`,
    );
  }
}

/** The model that drafts cases, and the reason recorded with its calls. */
export interface Drafting {
  context: ProjectContext;
  route: ModelRoute;
  reason: string;
}

/**
 * Asks one question with a JSON answer, without retries: the caller is waiting and can retry. Throws `ModelFailure`.
 */
export async function askForDrafts(
  { context, route, reason }: Drafting,
  prompt: { system: string; user: string },
): Promise<string> {
  const { actor, project } = context;
  const organizationId = actor.organization.id;
  const purpose = { reason, actor: actor.user.id };
  const asker = { id: null, organizationId, projectId: project.id, apiKeys: {}, purpose };
  const abortSignal = AbortSignal.any([context.callerGone(), timeoutSignal(timeoutMs)]);
  const variant = { model: route.id, provider: route.provider };
  const parts = partsForRequest(context, organizationId);
  const model = await openModel(parts, asker, null, variant, { retries: false });
  return askForJson(model, prompt, { abortSignal });
}

const instructions = `You write test cases for tools that a language model can call. Each case is what a user would say, without naming tools or parameters, with every value that the tools need. Answer with JSON only: {"cases": [{"title": string, "prompts": [string], "expectedTools": [[string]], "negative": boolean}]}. "prompts" are the turns of the user; "expectedTools" holds for each turn the names of the tools that have to be called. In a negative case no tool fits and none may be called.`;

function request(tools: readonly ToolToTry[], mix: Mix, varyUserStyles: boolean): string {
  const shown = JSON.stringify(tools).slice(0, maxShown);
  const style = varyUserStyles ? ' Vary how the users write: terse, chatty, formal, with a typo.' : '';
  return `Write ${mix.simple} cases for one tool, ${mix.multiTool} for two tools in one turn, ${mix.multiTurn} with two turns, ${mix.complex} with three or more tools, and ${mix.negative} negative ones.${style}\nTools: ${shown}`;
}

function read(text: string, tools: readonly ToolToTry[]): Drafted {
  const drafted: Drafted = { drafts: [], skipped: [] };
  const parsed = draftsIn(text);
  if (!Array.isArray(parsed?.['cases']))
    return { drafts: [], skipped: [{ reason: 'The model did not answer with a list of cases' }] };
  const known = new Set(tools.map(({ name }) => name));
  for (const item of (parsed['cases'] as unknown[]).slice(0, 50)) {
    const written = Written.safeParse(item);
    const title = (item as { title?: unknown } | null)?.title;
    const skip = (reason: string): void => {
      drafted.skipped.push({
        ...(typeof title === 'string' && { title: asStorable(title.slice(0, 200)) }),
        reason: asStorable(reason.slice(0, 300)),
      });
    };
    if (!written.success) {
      const [issue] = written.error.issues;
      skip(`Not a case: ${issue?.path.join('.')}: ${issue?.message}`);
      continue;
    }
    const unknown = written.data.expectedTools.flat().find((name) => !known.has(name));
    if (unknown === undefined) drafted.drafts.push(draftOf(written.data));
    else skip(`There is no tool named ${JSON.stringify(unknown)}`);
  }
  return drafted;
}

/** Extracts the JSON object from an answer, ignoring the text around it. */
export function draftsIn(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function draftOf({ title, prompts, expectedTools, negative }: z.output<typeof Written>): CaseDraft {
  const steps: Step[] = [];
  const add = (
    step: Omit<Extract<Step, { kind: 'prompt' }>, 'id'> | Omit<Extract<Step, { kind: 'assert' }>, 'id'>,
  ): void => {
    steps.push({ id: String(steps.length + 1), ...step });
  };
  prompts.forEach((prompt, turn) => {
    add({ kind: 'prompt', prompt });
    for (const toolName of negative ? [] : (expectedTools[turn] ?? []))
      add({ kind: 'assert', assertion: { type: 'toolCalledAtLeastOnce', toolName } });
  });
  return { title, definition: { steps, iterations: 1, isNegative: negative, models: [] } };
}
