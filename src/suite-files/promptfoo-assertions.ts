import { type Check, EvalCheck } from '../contract/eval-checks.ts';
import { authoringProblem } from '../evaluation/index.ts';
import { isObject } from '../platform/json/is-object.ts';

export type Status = 'exact' | 'approximated' | 'unsupported';

/** The conversion of an assertion. Without a check it is not graded. */
export interface Mapped {
  status: Status;
  checks: Check[];
  expectedOutput?: string;
  note?: string;
}

/** Fields of an assertion that are converted, or do not affect the result. */
const understood = new Set(['type', 'value', 'metric']);

/** Converts a promptfoo assertion into checks, exactly or approximately, or marks it as unsupported. */
export function mapAssertion(assertion: unknown, fill: (text: string) => string): Mapped {
  if (!isObject(assertion) || typeof assertion['type'] !== 'string')
    return unsupported('an assertion without a type');
  const { type } = assertion;
  const mapped = checked(type, byType(type, filled(assertion['value'], fill)));
  const lost = Object.keys(assertion).filter((field) => !understood.has(field));
  if (lost.length === 0 || mapped.status === 'unsupported') return mapped;
  const also = `${type}: not carried over: ${lost.join(', ')}`;
  return { ...mapped, status: 'approximated', note: [mapped.note, also].filter(Boolean).join('; ') };
}

function byType(type: string, value: unknown): Mapped {
  switch (type) {
    case 'contains':
    case 'icontains':
      return ofText(type, value, (needle) => [contains(needle, type === 'contains')]);
    case 'contains-all':
    case 'icontains-all':
      return ofTexts(type, value, (needle) => contains(needle, type === 'contains-all'));
    case 'regex':
      return ofText(type, value, (pattern) => [{ type: 'responseMatches', pattern }]);
    case 'starts-with':
      return ofText(type, value, (start) => [{ type: 'responseMatches', pattern: `^${escaped(start)}` }]);
    case 'equals':
      return approximated(
        ofText(type, value, (reference) => [
          { type: 'responseCloseTo', reference, maxDistance: 0, caseSensitive: true },
        ]),
        'equals: compared with the last message as text',
      );
    case 'llm-rubric':
    case 'model-graded-closedqa':
    case 'factuality':
      if (typeof value !== 'string' || value === '') return unsupported(`${type}: its value is not a text`);
      return {
        status: 'approximated',
        checks: [],
        expectedOutput: value,
        note: `${type}: kept as the expected output for a judge; not checked by itself`,
      };
    case 'trajectory:tool-used':
    case 'tool-used':
      return toolsUsed(type, value);
    case 'tool-call-f1':
      return approximated(
        toolsUsed(type, value),
        `${type}: every tool must be called; the score is not computed`,
      );
    case 'trajectory:tool-args-match':
      return toolArguments(type, value);
    case 'is-valid-openai-tools-call':
    case 'is-valid-function-call':
      return approximated(
        { status: 'exact', checks: [{ type: 'argumentsMatchToolSchema' }] },
        `${type}: arguments are validated against the schemas that the servers declare`,
      );
    default:
      return unsupported(`${type}: there is no equivalent check`);
  }
}

function toolsUsed(type: string, value: unknown): Mapped {
  if (isObject(value)) {
    const { name, ...rest } = value;
    const { min, ...others } = rest;
    if (typeof name === 'string' && Object.keys(others).length === 0 && (min === undefined || min === 1))
      return ofText(type, name, (toolName) => [{ type: 'toolCalledAtLeastOnce', toolName }]);
    if (typeof name === 'string' && Object.keys(others).length === 0 && Number.isSafeInteger(min))
      return {
        status: 'exact',
        checks: [
          {
            type: 'toolCalledWith',
            toolName: name,
            args: { args: {}, argumentMatching: 'ignore' },
            minCount: Number(min),
          },
        ],
      };
    return unsupported(`${type}: its value has an unsupported form`);
  }
  return ofTexts(
    type,
    typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value,
    (toolName) => ({
      type: 'toolCalledAtLeastOnce',
      toolName,
    }),
  );
}

function toolArguments(type: string, value: unknown): Mapped {
  if (!isObject(value)) return unsupported(`${type}: its value is not a mapping`);
  const { name, args, arguments: other, mode, ...rest } = value;
  const expected = args ?? other;
  if (typeof name !== 'string' || !isObject(expected) || Object.keys(rest).length > 0)
    return unsupported(`${type}: its value has an unsupported form`);
  if (mode !== undefined && mode !== 'partial' && mode !== 'exact')
    return unsupported(`${type}: its mode ${JSON.stringify(mode)} is not known`);
  const argumentMatching = mode ?? 'partial';
  const made: Mapped = {
    status: 'exact',
    checks: [{ type: 'toolCalledWith', toolName: name, args: { args: expected, argumentMatching } }],
  };
  return argumentMatching === 'exact'
    ? made
    : approximated(made, `${type}: nested values must be equal, and words like "string" name a type`);
}

function contains(needle: string, caseSensitive: boolean): Check {
  return { type: 'responseContains', needle, caseSensitive };
}

function ofText(type: string, value: unknown, make: (text: string) => Check[]): Mapped {
  return typeof value === 'string' && value !== ''
    ? { status: 'exact', checks: make(value) }
    : unsupported(`${type}: its value is not a text`);
}

function ofTexts(type: string, value: unknown, make: (text: string) => Check): Mapped {
  return Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one === 'string' && one !== '')
    ? { status: 'exact', checks: (value as string[]).map(make) }
    : unsupported(`${type}: its value is not a list of texts`);
}

/** Files, scripts and remaining templates cannot be evaluated, and an invalid check cannot be used. */
function checked(type: string, mapped: Mapped): Mapped {
  if (/"(?:file|package|https?):\/\/|\{\{|\{%/.test(JSON.stringify([mapped.checks, mapped.expectedOutput])))
    return unsupported(`${type}: its value is in a file or a template`);
  for (const check of mapped.checks) {
    const parsed = EvalCheck.safeParse(check);
    const problem = parsed.success ? authoringProblem(parsed.data)?.message : parsed.error.issues[0]?.message;
    if (problem !== undefined) return unsupported(`${type}: ${problem}`);
  }
  return mapped;
}

function approximated(mapped: Mapped, note: string): Mapped {
  return mapped.status === 'unsupported' ? mapped : { ...mapped, status: 'approximated', note };
}

function unsupported(note: string): Mapped {
  return { status: 'unsupported', checks: [], note };
}

function filled(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((one) => filled(one, fill));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, fill)]));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
