import type { z } from 'zod';
import type { GenerationDrafts } from '../../../contract/swarm-drafts.ts';
import { cut } from '../../../evaluation/text/show.ts';
import { promptFor, type ToolToTry } from '../../case-drafts/draft.ts';
import { characters } from './characters.ts';

/** A persona with its journeys. */
export type PersonaWithJourneys = NonNullable<z.output<typeof GenerationDrafts>['personas']>[number];
export type PersonaDraft = PersonaWithJourneys['persona'];
export type JourneyDraft = PersonaWithJourneys['journeys'][number];

/** How many new personas, and the existing ones to avoid. */
export interface Wanted {
  personaCount: number;
  journeyCount: number;
  description?: string | undefined;
  existing: readonly Pick<PersonaDraft, 'name' | 'role'>[];
}

const maxNameLength = 200;
const maxGoalLength = 4000;

/**
 * Personas from a fixed list of characters, for deployments without a language model. Their journeys use the tools.
 */
export function draftPersonas(
  tools: readonly ToolToTry[],
  { personaCount, journeyCount, existing }: Wanted,
): PersonaWithJourneys[] {
  return characters
    .filter((character) => isNew(character, existing))
    .slice(0, personaCount)
    .map(({ adds, ...persona }, nth) => ({
      persona,
      journeys: draftJourneys(tools, journeyCount, { from: nth * journeyCount, adds }),
    }));
}

/** Whether no existing persona has the name or the role. */
export function isNew(
  { name, role }: Pick<PersonaDraft, 'name' | 'role'>,
  there: readonly Pick<PersonaDraft, 'name' | 'role'>[],
): boolean {
  return !there.some((other) => same(other.name, name) || same(other.role, role));
}

function same(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Each journey asks for what one or two tools do, in the words of their descriptions; no two use the same tools. */
export function draftJourneys(
  tools: readonly ToolToTry[],
  count: number,
  { from = 0, adds = '' } = {},
): JourneyDraft[] {
  const start = tools.length === 0 ? 0 : from % tools.length;
  const turned = [...tools.slice(start), ...tools.slice(0, start)];
  const pairs = turned.length === 2 ? [turned] : turned.length < 2 ? [] : turned.map(withNext);
  return turned
    .flatMap((tool, nth) => [[tool], ...pairs.slice(nth, nth + 1)])
    .slice(0, count)
    .map((asked) => journeyFor(asked, adds));
}

function withNext(tool: ToolToTry, nth: number, all: readonly ToolToTry[]): ToolToTry[] {
  return [tool, all[(nth + 1) % all.length] as ToolToTry];
}

function journeyFor(tools: readonly ToolToTry[], adds: string): JourneyDraft {
  const wishes = tools.map((tool) => promptFor(tool).trim() || tool.name);
  return {
    name: cut(capitalized(tools.map(({ name }) => spoken(name)).join(', then ')), maxNameLength),
    goal: cut(`${wishes.join(' Then: ')} ${adds}`.trim(), maxGoalLength),
    suggestedChecks: tools.map(({ name }) => ({ type: 'toolCalledAtLeastOnce', toolName: name })),
  };
}

/** `list_ships` as people say it. */
function spoken(name: string): string {
  return name.replaceAll(/[_-]+/g, ' ').trim() || name;
}

function capitalized(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}
