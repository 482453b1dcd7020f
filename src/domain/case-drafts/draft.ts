import type { Step } from '../../contract/eval-steps.ts';
import { asStorable, isStorable } from '../../platform/json/storable.ts';
import type { CaseDefinition } from '../eval-suites/cases/definition.ts';

/** A drafted case, not stored yet. */
export interface CaseDraft {
  title: string;
  definition: CaseDefinition;
}

/** Number of cases wanted per kind. */
export interface Mix {
  simple: number;
  multiTool: number;
  multiTurn: number;
  complex: number;
  negative: number;
}

export interface ToolToTry {
  name: string;
  description: string;
  /** Required parameters with their declared types. */
  required: { name: string; type: string; values: unknown[] }[];
}

const defaultSimple = 3;

export function mixOf(given: Partial<Mix> | undefined, mode: 'normal' | 'negative' | undefined): Mix {
  const none: Mix = { simple: 0, multiTool: 0, multiTurn: 0, complex: 0, negative: 0 };
  if (given) return { ...none, ...given };
  return mode === 'negative' ? { ...none, negative: defaultSimple } : { ...none, simple: defaultSimple };
}

/** Maximum number of characters of a tool name in a check. */
const maxNameLength = 300;

/** The tools of a server in the form drafts need. Skips tools whose names no case can hold. */
export function toolsToTry(tools: readonly unknown[]): ToolToTry[] {
  return tools.flatMap((listed) => {
    const tool = (listed ?? {}) as Record<string, unknown>;
    const { name } = tool;
    if (typeof name !== 'string' || name.length > maxNameLength || name.trim() !== name || !isName(name))
      return [];
    const schema = (tool['inputSchema'] ?? {}) as {
      properties?: Record<string, { type?: unknown; enum?: unknown[] }>;
      required?: unknown[];
    };
    const required = (Array.isArray(schema.required) ? schema.required : []).flatMap((name) => {
      const declared = typeof name === 'string' ? schema.properties?.[name] : undefined;
      if (typeof name !== 'string') return [];
      const values = Array.isArray(declared?.enum) ? declared.enum : [];
      return [{ name, type: typeof declared?.type === 'string' ? declared.type : 'string', values }];
    });
    const description = typeof tool['description'] === 'string' ? asStorable(tool['description']) : '';
    return [{ name, description, required }];
  });
}

function isName(text: string): boolean {
  return isStorable(text) && /^\P{Cc}+$/u.test(text);
}

/**
 * Creates cases from the tool declarations alone, for deployments without a language model: a prompt is the first
 * sentence of the tool's description and a value for each required argument. The prompts of negative cases are fixed.
 */
export function draftWithoutModel(tools: readonly ToolToTry[], mix: Mix): CaseDraft[] {
  const pick = (nth: number): ToolToTry | undefined => tools[nth % Math.max(tools.length, 1)];
  const drafts: CaseDraft[] = [];
  let at = 0;
  const add = (label: string, count: number, size: number, turns: boolean): void => {
    for (let nth = 0; nth < count && tools.length > 0; nth++) {
      const chosen = Array.from({ length: size }, (_, more) => pick(at + more)).filter(
        (tool) => tool !== undefined,
      );
      at += size;
      drafts.push(draftOf(`${label}: ${chosen.map(({ name }) => name).join(', ')}`, chosen, turns));
    }
  };
  add('Uses a tool', mix.simple, 1, false);
  add('Uses two tools', mix.multiTool, Math.min(2, tools.length), false);
  add('Two turns', mix.multiTurn, Math.min(2, tools.length), true);
  add('Three tools', mix.complex, Math.min(3, tools.length), true);
  for (let nth = 0; nth < mix.negative; nth++) drafts.push(negativeDraft(nth));
  return drafts;
}

function draftOf(title: string, tools: readonly ToolToTry[], turns: boolean): CaseDraft {
  const steps: Step[] = [];
  const id = (): string => String(steps.length + 1);
  const prompts = tools.map(promptFor);
  const groups = turns
    ? prompts.map((prompt, nth) => ({ prompt, tools: [tools[nth] as ToolToTry] }))
    : [{ prompt: prompts.join(' Then: '), tools }];
  for (const { prompt, tools: expected } of groups) {
    steps.push({ id: id(), kind: 'prompt', prompt });
    for (const { name } of expected)
      steps.push({ id: id(), kind: 'assert', assertion: { type: 'toolCalledAtLeastOnce', toolName: name } });
  }
  return {
    title: asStorable(title.slice(0, 200)),
    definition: { steps, iterations: 1, isNegative: false, models: [] },
  };
}

/** A prompt that asks for the tool and states every required value. */
export function promptFor({ name, description, required }: ToolToTry): string {
  const [first = ''] = description.split(/(?<=[.!?])\s|\n/);
  const purpose = first.trim() || name.replaceAll(/[_-]+/g, ' ');
  const values = required.map((parameter) => `${parameter.name} ${JSON.stringify(valueFor(parameter))}`);
  return asStorable(`${purpose}${values.length > 0 ? ` Use ${values.join(', ')}.` : ''}`.slice(0, 2000));
}

function valueFor({ name, type, values }: ToolToTry['required'][number]): unknown {
  if (values.length > 0) return values[0];
  if (type === 'number' || type === 'integer') return 2;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  return type === 'object' ? {} : `sample ${name}`.slice(0, 60);
}

const smallTalk = [
  'Thank you, that is all for today.',
  'What do you think makes a good name for a cat?',
  'Please write one friendly sentence about rain.',
  'How are you?',
];

function negativeDraft(nth: number): CaseDraft {
  const prompt = smallTalk[nth % smallTalk.length] as string;
  return {
    title: `Calls no tool: ${prompt}`.slice(0, 200),
    definition: { steps: [{ id: '1', kind: 'prompt', prompt }], iterations: 1, isNegative: true, models: [] },
  };
}
