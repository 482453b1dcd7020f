import { z } from 'zod';
import { Refusal } from '../../../contract/errors.ts';
import { Name } from '../../../contract/fields.ts';
import { journeyFields } from '../../../contract/journeys.ts';
import { shortName } from '../../../contract/personas.ts';
import { cut } from '../../../evaluation/text/show.ts';
import { ModelFailure } from '../../../models/failure.ts';
import { asStorable } from '../../../platform/json/storable.ts';
import { redact } from '../../../platform/log.ts';
import { quoted, visibleJson } from '../../../platform/quoted.ts';

import type { ToolToTry } from '../../case-drafts/draft.ts';
import { askForDrafts, type Drafting, draftsIn } from '../../case-drafts/draft-with-model.ts';
import { SpendCapReached } from '../../limits/spend-cap.ts';
import {
  isNew,
  type JourneyDraft,
  type PersonaDraft,
  type PersonaWithJourneys,
  type Wanted,
} from './draft.ts';

const said = z.string().transform(asStorable);
const Persona = z.object({
  name: said.pipe(shortName),
  role: said.pipe(shortName),
  notes: said.pipe(z.string().trim().min(1).max(2000)).optional().catch(undefined),
});
const Check = z.object({ toolName: z.string() });
const Journey = z.object({
  name: said.pipe(Name).optional().catch(undefined),
  goal: said.pipe(journeyFields.goal),
  suggestedChecks: z.array(z.unknown()).catch([]),
});

/** Characters of tool declarations sent to the model, and of one description. */
const maxShown = 60_000;
const maxDescriptionLength = 1_000;
/** Characters of the answer that are parsed, and items per list in it. */
const maxAnswerLength = 400_000;
const maxRead = 50;
const maxChecks = 10;

/** A model with the tools to draft from. */
export interface Drafter extends Drafting {
  tools: readonly ToolToTry[];
}

const about = `You help to try out an assistant that can call tools, by inventing people who would use it. A journey is what such a person wants to get done. Its goal says so in one to three sentences, in the words of that person, with every value that is needed; it names neither tools nor parameters. "suggestedChecks" names the tools that have to be called on the way, exactly as they are listed.`;
const journeyShape = `{"name": string of a few words, "goal": string, "suggestedChecks": [{"type": "toolCalledAtLeastOnce", "toolName": string}]}`;
const personaInstructions = `${about} Make the people differ in what they are, what they know and how they speak. "role" is a few words; "notes" say how the person speaks, what they know and what they care about. Answer with JSON only: {"personas": [{"name": string, "role": string, "notes": string, "journeys": [${journeyShape}]}]}.`;
const journeyInstructions = `${about} Answer with JSON only: {"journeys": [${journeyShape}]}.`;

/** Asks a language model for personas. Each is validated like user input; unusable ones are dropped. */
export async function personasOfModel(drafter: Drafter, wanted: Wanted): Promise<PersonaWithJourneys[]> {
  const { personaCount, journeyCount, existing, description } = wanted;
  const user = [
    `Invent ${personaCount} people, each with ${journeyCount} journeys.`,
    ...(existing.length > 0
      ? [`Others than these, in name and in role: ${visibleJson(existing.map(nameAndRole))}`]
      : []),
    ...usedBy(description),
    toolsShown(drafter.tools),
  ].join('\n');
  const answer = await ask(drafter, { system: personaInstructions, user });
  const drafts: PersonaWithJourneys[] = [];
  for (const one of listIn(answer, 'personas')) {
    const read = Persona.safeParse(one);
    const there = [...existing, ...drafts.map(({ persona }) => persona)];
    if (!read.success || !isNew(read.data, there)) continue;
    const { notes, ...persona } = read.data;
    drafts.push({
      persona: { ...persona, ...(notes !== undefined && { notes }) },
      journeys: journeysIn(one, drafter.tools).slice(0, journeyCount),
    });
  }
  return drafts.slice(0, personaCount);
}

/** Asks a language model for journeys of an existing persona. */
export async function journeysOfModel(
  drafter: Drafter,
  persona: PersonaDraft,
  { journeyCount, description }: Pick<Wanted, 'journeyCount' | 'description'>,
): Promise<JourneyDraft[]> {
  const user = [
    `Invent ${journeyCount} journeys for this person: ${visibleJson(persona)}`,
    ...usedBy(description),
    toolsShown(drafter.tools),
  ].join('\n');
  const answer = await ask(drafter, { system: journeyInstructions, user });
  return journeysIn(answer, drafter.tools).slice(0, journeyCount);
}

async function ask(drafter: Drafter, prompt: { system: string; user: string }): Promise<unknown> {
  const { route, context } = drafter;
  try {
    const text = await askForDrafts(drafter, prompt);
    return text.length > maxAnswerLength ? undefined : draftsIn(text);
  } catch (error) {
    if (error instanceof SpendCapReached) throw error.refusal;
    if (!(error instanceof ModelFailure)) throw error;
    // The provider's message goes to the operator's log only.
    context.log.warn('Drafting model failed', { model: route.id, error: redact(error.message) });
    throw new Refusal(
      error.kind === 'aborted' ? 'TIMEOUT' : 'SERVER_UNREACHABLE',
      `The drafting model ${route.id} failed (${error.kind}). Try again. If it persists, ask the operator to check the log`,
    );
  }
}

function usedBy(description: string | undefined): string[] {
  return description === undefined
    ? []
    : [`Who uses the assistant, and for what: ${visibleJson(description)}`];
}

function nameAndRole({ name, role }: Pick<PersonaDraft, 'name' | 'role'>): object {
  return { name, role };
}

/** Includes whole tools, as many as fit. */
function toolsShown(tools: readonly ToolToTry[]): string {
  let room = maxShown;
  const shown = tools.flatMap(({ name, description, required }) => {
    const needs = required.map((parameter) => parameter.name);
    const tool = { name, description: cut(description, maxDescriptionLength), needs };
    const size = visibleJson(tool).length;
    if (size > room) return [];
    room -= size;
    return [tool];
  });
  return quoted('The tools, as their servers declare them.', shown);
}

function journeysIn(answer: unknown, tools: readonly ToolToTry[]): JourneyDraft[] {
  const known = new Set(tools.map(({ name }) => name));
  return listIn(answer, 'journeys').flatMap((one) => {
    const read = Journey.safeParse(one);
    if (!read.success) return [];
    const { name, goal, suggestedChecks } = read.data;
    const named = suggestedChecks.slice(0, maxChecks).flatMap((check) => {
      const { data } = Check.safeParse(check);
      return data && known.has(data.toolName) ? [data.toolName] : [];
    });
    const checks = [...new Set(named)].map((toolName) => ({
      type: 'toolCalledAtLeastOnce' as const,
      toolName,
    }));
    return [
      { ...(name !== undefined && { name }), goal, ...(checks.length > 0 && { suggestedChecks: checks }) },
    ];
  });
}

function listIn(answer: unknown, field: string): unknown[] {
  const list: unknown = (answer as Record<string, unknown> | null | undefined)?.[field];
  return Array.isArray(list) ? list.slice(0, maxRead) : [];
}
