import { withoutValues } from './facts.ts';
import { type Effect, effectOf } from './intent.ts';
import { type Parameter, parametersOf } from './schema.ts';
import { likeOf, stemsOf, verbs, wordsOf } from './tokenize.ts';

export interface RankedTool {
  name: string;
  parameters: Parameter[];
  nameStems: string[];
  effect: Effect;
  score: number;
  /** The fraction of the name's words that the text contains. */
  coverage: number;
  /** The text contains the whole name. */
  named: boolean;
  /** How certain it is that the text is about this tool. */
  evidence: 'strong' | 'weak' | 'none';
}

interface IndexedTool {
  name: string;
  parameters: Parameter[];
  nameStems: string[];
  effect: Effect;
  /** The weight of each stem in this tool. */
  weights: Map<string, number>;
  length: number;
}

export interface ToolIndex {
  tools: IndexedTool[];
  /** The number of tools with each stem. */
  spread: Map<string, number>;
  averageLength: number;
  /** The stems of all tool names, and those of their first words, with which requests may start. */
  nameWords: Set<string>;
  firstWords: Set<string>;
}

interface Described {
  name: string;
  description?: string | undefined;
  inputSchema: unknown;
}

/** The weight of a word by its location. */
const weight = { name: 3, title: 2, description: 1, parameter: 1, explanation: 0.5 };
/** Characters read of one description, and of all. */
const maxText = { description: 2_000, all: 500_000 };
/** Parameters of Okapi BM25: saturation of repeated words, and influence of length. */
const saturation = 1.2;
const lengthShare = 0.5;
/** A synonym counts less than the word itself. */
const likeShare = 0.4;

export function indexTools(tools: readonly Described[]): ToolIndex {
  const each = Math.min(maxText.description, Math.ceil(maxText.all / Math.max(1, tools.length)));
  const indexed = tools.map((tool) => indexTool(tool, each));
  const spread = new Map<string, number>();
  for (const { weights } of indexed)
    for (const stem of weights.keys()) spread.set(stem, (spread.get(stem) ?? 0) + 1);
  const length = indexed.reduce((sum, tool) => sum + tool.length, 0);
  return {
    tools: indexed,
    spread,
    averageLength: Math.max(1, length / Math.max(1, indexed.length)),
    nameWords: new Set(indexed.flatMap(({ nameStems }) => nameStems)),
    firstWords: new Set(indexed.flatMap(({ nameStems }) => nameStems.slice(0, 1))),
  };
}

function indexTool({ name, description = '', inputSchema }: Described, each: number): IndexedTool {
  const parameters = parametersOf(inputSchema);
  const weights = new Map<string, number>();
  let length = 0;
  const add = (text: string, by: number): void => {
    for (const stem of stemsOf(text.slice(0, each))) {
      weights.set(stem, (weights.get(stem) ?? 0) + by);
      length++;
    }
  };
  add(name.slice(0, 200), weight.name);
  const title = (inputSchema as { title?: unknown } | null)?.title;
  if (typeof title === 'string') add(title, weight.title);
  add(description, weight.description);
  let left = each;
  for (const parameter of parameters) {
    if (left <= 0) break;
    add(parameter.name, weight.parameter);
    const explained = [parameter.description, ...(parameter.choices ?? [])].join(' ');
    add(explained, weight.explanation);
    left -= parameter.name.length + explained.length;
  }
  const words = wordsOf(name.slice(0, 200)).map(({ stem }) => stem);
  const nameStems = words.filter((stem) => stem !== 'tool');
  return {
    name,
    parameters,
    nameStems,
    effect: effectOf(nameStems, description.slice(0, each)),
    weights,
    length,
  };
}

/** The tools that a text may be about, best first. Quotations are ignored, because they are values. */
export function rankTools(index: ToolIndex, prompt: string): RankedTool[] {
  const text = withoutValues(prompt);
  const stems = stemsOf(text);
  const lower = ` ${text.toLowerCase()} `;
  // Synonyms are used only for words that no tool's name contains.
  const asked = wordsOf(text).map(({ stem }) => stem);
  const unused = [...new Set(asked)].filter((stem) => !index.nameWords.has(stem));
  const likes = new Set(unused.flatMap((stem) => [...likeOf(stem)]).filter((stem) => !asked.includes(stem)));
  return index.tools
    .map((tool) => rankTool(index, tool, stems, likes, lower))
    .filter(({ score, named }) => score > 0 || named)
    .sort((a, b) => Number(b.named) - Number(a.named) || b.score - a.score)
    .slice(0, 10);
}

function rankTool(
  index: ToolIndex,
  tool: IndexedTool,
  stems: string[],
  likes: ReadonlySet<string>,
  lower: string,
): RankedTool {
  let score = 0;
  const hits = new Set<string>();
  const alike = new Set<string>();
  for (const stem of stems) {
    const gain = gainOf(index, tool, stem);
    score += gain;
    if (gain > 0) hits.add(stem);
  }
  for (const like of likes) {
    const gain = likeShare * gainOf(index, tool, like);
    score += gain;
    if (gain > 0) alike.add(like);
  }
  const { name, parameters, nameStems, effect } = tool;
  const covered = nameStems.filter((stem) => hits.has(stem)).length;
  const nearly = nameStems.filter((stem) => !hits.has(stem) && alike.has(stem)).length;
  const coverage = nameStems.length === 0 ? 0 : (covered + likeShare * nearly) / nameStems.length;
  const named = name.length > 2 && occursIn(lower, name.toLowerCase());
  const things = [...hits].filter((stem) => !verbs.has(stem));
  return {
    name,
    parameters,
    nameStems,
    effect,
    score: score * (1 + coverage),
    coverage,
    named,
    evidence: evidenceOf(),
  };

  function evidenceOf(): RankedTool['evidence'] {
    if (named || coverage === 1) return 'strong';
    const inName = things.some((stem) => nameStems.includes(stem));
    if (inName && coverage >= 0.5) return 'strong';
    if (things.length >= 2 && (inName || coverage > 0)) return 'strong';
    if (things.filter((stem) => isRare(index, stem)).length >= 2) return 'strong';
    return hits.size + alike.size > 0 ? 'weak' : 'none';
  }
}

/** Whether a word occurs in few tools and so distinguishes them. */
function isRare({ tools, spread }: ToolIndex, stem: string): boolean {
  return (spread.get(stem) ?? 0) <= Math.max(1, tools.length / 4);
}

function gainOf({ tools, spread, averageLength }: ToolIndex, tool: IndexedTool, stem: string): number {
  const weight = tool.weights.get(stem);
  if (weight === undefined) return 0;
  const among = spread.get(stem) ?? 0;
  const rarity = Math.log(1 + (tools.length - among + 0.5) / (among + 0.5));
  const size = 1 - lengthShare + (lengthShare * tool.length) / averageLength;
  return (rarity * weight * (saturation + 1)) / (weight + saturation * size);
}

/** Matches whole words only. */
function occursIn(lower: string, name: string): boolean {
  for (let at = lower.indexOf(name); at >= 0; at = lower.indexOf(name, at + 1)) {
    const around = `${lower[at - 1] ?? ' '}${lower[at + name.length] ?? ' '}`;
    if (!/[\p{L}\p{N}_-]/u.test(around)) return true;
  }
  return false;
}
