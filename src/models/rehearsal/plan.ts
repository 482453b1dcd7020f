import { argumentsFrom, type FoundArguments, readText, type TextFacts } from './arguments.ts';
import { commands, denies, intentOf, verbsOf } from './intent.ts';
import { type RankedTool, rankTools, type ToolIndex } from './rank.ts';
import { verbs, wordsOf } from './tokenize.ts';

export interface PlannedCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface Plan {
  calls: PlannedCall[];
  /** Why there are no calls. */
  reason: string;
}

const maxCalls = 10;
const maxRequests = 20;
/** Maximum number of tools for which arguments are searched. */
const maxCandidates = 5;
/** Maximum characters of a prompt that are read. */
const maxText = 8_000;
/** The factor by which a score must exceed another to be clearly better. */
const clearly = 1.05;

export interface PlanOptions {
  /** A tool that must be called, or `true` for any tool. */
  forced?: string | true | undefined;
}

/** Plans the calls that a prompt requests, in its order. Deterministic. */
export function planFor(prompt: string, index: ToolIndex, { forced }: PlanOptions = {}): Plan {
  const text = prompt.slice(0, maxText);
  if (index.tools.length === 0) return { calls: [], reason: 'no tools are offered' };
  if (forced === undefined && refusesTools.test(text))
    return { calls: [], reason: 'the prompt asks for no tools' };
  const calls: PlannedCall[] = [];
  const reasons: string[] = [];
  const whole = readText(text);
  for (const part of requestsIn(text, index)) {
    const choice = choose(readText(part), whole, index, typeof forced === 'string' ? forced : undefined);
    if ('reason' in choice) reasons.push(choice.reason);
    else if (calls.length < maxCalls && !calls.some((call) => sameCall(call, choice))) calls.push(choice);
    if (typeof forced === 'string' && calls.length > 0) break;
  }
  const [best] = forced === true && calls.length === 0 ? rankTools(index, text) : [];
  if (best)
    calls.push({ name: best.name, arguments: argumentsFrom(whole, best.name, best.parameters).arguments });
  return { calls, reason: reasons.find((one) => one !== noMatch) ?? noMatch };
}

const refusesTools =
  /\b(?:without (?:using |calling )?(?:any |the )?tools?|(?:do not|don't|never) (?:use|call) (?:any |the )?tools?|no tools)\b/i;
const noMatch = 'no tool is about this';

function choose(
  part: TextFacts,
  whole: TextFacts,
  index: ToolIndex,
  forced?: string,
): PlannedCall | { reason: string } {
  const ranked = rankTools(index, part.text);
  if (forced !== undefined) {
    const tool =
      ranked.find(({ name }) => name === forced) ?? index.tools.find(({ name }) => name === forced);
    if (tool) return { name: tool.name, arguments: argumentsFor(tool, part, whole).arguments };
  }
  const intent = intentOf(part.text);
  const isAsked = ({ named, effect, nameStems }: RankedTool): boolean => {
    const own = verbsOf(nameStems);
    if (denies(part.text, own) || intent === 'statement') return false;
    if (effect === 'destroys') return (named && intent === 'request') || commands(part.text, own);
    return named || intent === 'request' || effect === 'reads';
  };
  const usable = ranked
    .filter((tool) => tool.evidence !== 'none' && isAsked(tool))
    .slice(0, maxCandidates)
    .map((tool) => ({ tool, found: argumentsFor(tool, part, whole) }))
    // Weak evidence suffices for a request if all required values are present. A tool without parameters would always
    // match, so it needs strong evidence.
    .filter(
      ({ tool, found }) =>
        tool.evidence === 'strong' ||
        (found.missing.length === 0 &&
          needsSomething(tool) &&
          (intent === 'question' ||
            commands(part.text, verbs) ||
            commands(part.text, verbsOf(tool.nameStems)))),
    );
  const [best] = usable;
  if (!best) return { reason: noMatch };
  const [first = best, second] = usable
    .filter(({ tool }) => best.tool.named === tool.named && tool.score * clearly > best.tool.score)
    .sort(byFit);
  if (second && byFit(first, second) === 0)
    return { reason: `${first.tool.name} and ${second.tool.name} match equally well` };
  return { name: first.tool.name, arguments: first.found.arguments };
}

interface Candidate {
  tool: RankedTool;
  found: FoundArguments;
}

/**
 * Compares tools with similar scores: by length of a name that the text contains, evidence, coverage of the name, then
 * missing arguments.
 */
function byFit(a: Candidate, b: Candidate): number {
  return (
    (a.tool.named ? b.tool.name.length - a.tool.name.length : 0) ||
    Number(b.tool.evidence === 'strong') - Number(a.tool.evidence === 'strong') ||
    b.tool.coverage - a.tool.coverage ||
    a.found.missing.length - b.found.missing.length
  );
}

function needsSomething({ parameters }: RankedTool): boolean {
  return parameters.some(({ required }) => required);
}

/** Finds arguments in the part of the prompt that requests the call, and missing ones in the rest. */
function argumentsFor(
  { name, parameters }: Pick<RankedTool, 'name' | 'parameters'>,
  part: TextFacts,
  whole: TextFacts,
): FoundArguments {
  const found = argumentsFrom(part, name, parameters);
  if (found.missing.length === 0 || part.text === whole.text) return found;
  const lacking = parameters.filter((parameter) => found.missing.includes(parameter.name));
  const more = argumentsFrom(whole, name, lacking);
  return { arguments: { ...found.arguments, ...more.arguments }, missing: more.missing };
}

function sameCall(a: PlannedCall, b: PlannedCall): boolean {
  return a.name === b.name && JSON.stringify(a.arguments) === JSON.stringify(b.arguments);
}

/** Boundaries between requests. An `and` counts only if a verb follows. */
const seams =
  /(?<=[.!?;])\s{1,5}|\n{1,5}|,?\s{1,5}(?:and\s{1,5})?then\s{1,5}|,?\s{1,5}(?:after that|afterwards|finally),?\s{1,5}|(,?\s{1,5}and\s{1,5})/gi;
const quotes = /"[^"\n]{1,2000}"|“[^”\n]{1,2000}”|`[^`\n]{1,2000}`/g;

/** The first requests of a prompt: its sentences, split at words like `then`, and at each `and` before a verb. */
function requestsIn(text: string, { firstWords }: Pick<ToolIndex, 'firstWords'>): string[] {
  const quoted = [...text.matchAll(quotes)].map(
    ({ index, 0: quote }) => [index, index + quote.length] as const,
  );
  const begins = (at: number): boolean => {
    const stem = wordsOf(text.slice(at, at + 60))[0]?.stem;
    return stem !== undefined && (firstWords.has(stem) || verbs.has(stem));
  };
  const requests = new Set<string>();
  let from = 0;
  for (const { index, 0: seam, 1: and } of text.matchAll(seams)) {
    const next = index + seam.length;
    if (quoted.some(([start, end]) => index > start && index < end)) continue;
    if (and !== undefined && !begins(next)) continue;
    requests.add(text.slice(from, index));
    from = next;
  }
  requests.add(text.slice(from));
  return [...requests].filter((request) => /[\p{L}\p{N}]/u.test(request)).slice(0, maxRequests);
}
