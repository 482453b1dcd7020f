import { bytes, count, counted, percent } from '../../kit/numbers.ts';
import { textOf } from '../../kit/text.ts';
import { duration } from '../../kit/time.tsx';

type Raw = Record<string, unknown>;

/** Describes a check as the predicate of a sentence about the model: "calls forecast with city Bremen". */
export function checkText(check: Raw): string {
  const kind = textOf(check['type'] ?? check['kind'], 'check');
  const say = kinds[kind];
  const words = say ? say(check) : plain(kind);
  return check['role'] === 'advisory' ? `${words} (advisory)` : words;
}

const text = (check: Raw, name: string, fallback = ''): string => textOf(check[name], fallback);
const quoted = (check: Raw, name: string): string => `“${shortened(text(check, name))}”`;
const number = (check: Raw, name: string): number => Number(check[name]);
/** The tool's name, or a phrase for any tool. */
const tool = (check: Raw, all = 'a tool'): string => text(check, 'toolName', all);
const sensitive = (check: Raw): string => (check['caseSensitive'] === true ? ' (case-sensitive)' : '');

const kinds: Record<string, (check: Raw) => string> = {
  toolCalledWith: (check) => `calls ${tool(check)}${withArguments(check)}${often(check['minCount'])}`,
  toolCalledAtLeastOnce: (check) => `calls ${tool(check)}`,
  toolNeverCalled: (check) => `never calls ${tool(check)}`,
  firstToolWas: (check) => `calls ${tool(check)} first`,
  onlyToolsCalled: ({ toolNames }) => {
    const names = Array.isArray(toolNames) ? toolNames.map((one) => textOf(one)) : [];
    return names.length === 0 ? 'calls no tool' : `calls only ${names.join(', ')}`;
  },
  toolCalledBefore: (check) => `calls ${tool(check)} before ${text(check, 'beforeToolName')}`,
  toolCallCountUnder: (check) =>
    `makes fewer than ${counted(number(check, 'count'), 'call')}${ofTool(check)}`,
  noRepeatedIdenticalCall: (check) => `repeats no call${ofTool(check)}`,
  argumentsMatchToolSchema: (check) => `sends arguments that match the schema${ofTool(check)}`,
  toolInputMatches: (check) => `calls ${tool(check)} with input matching ${patterns(check)}`,
  toolResultMatches: (check) => `gets a result matching ${patterns(check)}${fromTool(check)}`,
  noDeprecatedToolCalled: () => 'calls no deprecated tool',
  noDestructiveToolCalled: () => 'calls no destructive tool',
  noToolErrors: () => 'gets no tool errors',
  toolErrorNamesInput: (check) => `gets errors that name the invalid input${fromTool(check)}`,
  toolLatencyUnder: (check) =>
    `gets every result${fromTool(check)} in less than ${duration(number(check, 'ms'))}`,
  toolResultContains: (check) =>
    `gets a result containing ${quoted(check, 'needle')}${sensitive(check)}${fromTool(check)}`,
  toolResultMatchesSchema: (check) => `gets results that match a schema${fromTool(check)}`,
  toolResultSizeUnder: (check) =>
    `gets results smaller than ${bytes(number(check, 'maxBytes'))}${fromTool(check)}`,
  fullPageHasContinuation: (check) => `gets a continuation with every full page${fromTool(check)}`,
  responseContains: (check) => `says ${quoted(check, 'needle')}${sensitive(check)}`,
  responseMatches: (check) => `says something matching /${shortened(text(check, 'pattern'))}/`,
  responseCloseTo: (check) =>
    `response similar to ${quoted(check, 'reference')} (edit distance at most ${percent(number(check, 'maxDistance'))})`,
  finalAssistantMessageNonEmpty: () => 'ends with a non-empty message',
  noEndingQuestion: () => 'ends without a question',
  tokenBudgetUnder: (check) => `uses fewer than ${counted(number(check, 'tokens'), 'token')}`,
  turnCountUnder: (check) => `needs fewer than ${counted(number(check, 'turns'), 'turn')}`,
  widgetRendered: (check) => `shows the widget${ofTool(check)}`,
  widgetRenderLatencyUnder: (check) =>
    `shows the widget${ofTool(check)} in less than ${duration(number(check, 'ms'))}`,
  widgetNoConsoleErrors: (check) => `shows the widget${ofTool(check)} without errors`,
  toolDescriptionsPresent: ({ minLength }) =>
    `is offered tools with descriptions${minLength === undefined ? '' : ` of ${count(Number(minLength))} characters or more`}`,
  toolAnnotationsPresent: () => 'is offered tools with annotations',
  toolNamesUnique: () => 'is offered tools with unique names',
  noDeprecatedToolExposed: () => 'no deprecated tool is offered',
  toolInputSchemasWellFormed: () => 'is offered tools with well-formed input schemas',
  toolOutputSchemasPresent: () => 'is offered tools with output schemas',
  textVisible: (check) => `shows ${quoted(check, 'text')} in the widget${ofTool(check)}`,
  elementVisible: (check) => `shows an element in the widget${ofTool(check)}`,
  elementHidden: (check) => `hides an element in the widget${ofTool(check)}`,
  inputValue: (check) => `has ${quoted(check, 'equals')} in a field of the widget${ofTool(check)}`,
  widgetToolCalled: (check) => `calls ${text(check, 'calledToolName')} from the widget${ofTool(check)}`,
};

function ofTool(check: Raw): string {
  return check['toolName'] === undefined ? '' : ` of ${tool(check)}`;
}

function fromTool(check: Raw): string {
  return check['toolName'] === undefined ? '' : ` from ${tool(check)}`;
}

function withArguments(check: Raw): string {
  const { args = {} } = (check['args'] ?? {}) as { args?: Raw };
  const given = Object.entries(args).map(([name, value]) => `${name} ${shortened(textOf(value, 'null'))}`);
  return given.length === 0 ? '' : ` with ${given.join(', ')}`;
}

function often(times: unknown): string {
  return typeof times === 'number' && times > 1 ? ` at least ${count(times)} times` : '';
}

function patterns({ patterns }: Raw): string {
  const all = Array.isArray(patterns) ? patterns : [];
  return all.map((one) => `/${shortened(textOf(one))}/`).join(' and ');
}

/** Fallback for unknown kinds: `noToolErrors` becomes “no tool errors”. */
function plain(kind: string): string {
  return kind.replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
}

function shortened(words: string, most = 60): string {
  return words.length <= most ? words : `${words.slice(0, most - 1)}…`;
}

interface Described {
  isNegative: boolean;
  steps: readonly Raw[];
  checks?: { mode: string; list: readonly Raw[] } | undefined;
}

/** Everything a case requires beyond the checks of its suite. */
export function caseText({ isNegative, steps, checks }: Described): string[] {
  return [
    ...(isNegative ? ['calls no tool'] : []),
    ...steps.flatMap((step) => {
      if (step['kind'] === 'assert') return [checkText((step['assertion'] ?? {}) as Raw)];
      return [];
    }),
    ...(checks?.list ?? []).map(checkText),
    ...(checks?.mode === 'replace' ? ['without the suite checks'] : []),
  ];
}

/** The first prompt or call of the case. */
export function openingOf(steps: readonly Raw[]): { text: string; turns: number } {
  const prompts = steps.filter(({ kind }) => kind === 'prompt');
  const [first] = prompts;
  const [call] = steps.filter(({ kind }) => kind === 'toolCall');
  const said = first ? textOf(first['prompt']) : call ? `Calls ${textOf(call['toolName'])}` : '';
  return { text: said, turns: prompts.length };
}
