import { DrydockError } from '../../../../../client/index.ts';
import type { Output } from '../../../api/index.ts';
import type { Schema } from '../../../kit/form/schema.ts';
import { validate } from '../../../kit/form/validate.ts';
import { caseSchema, checkSchemas, root, widgetSchemas } from './schemas.ts';

type Case = Output<'getEvalCase'>;

const fields = [
  'title',
  'steps',
  'checks',
  'isNegative',
  'repetitions',
  'passThreshold',
  'expectedOutput',
  'scenario',
  'intent',
  'kind',
  'models',
  'matchOptions',
  'judge',
  'suppressedSuiteStandardCheckIds',
] as const;

export const newCase: Schema = { title: '', steps: [{ id: '1', kind: 'prompt', prompt: '' }] };

/** The editable fields of a case, as sent. */
export function bodyOf(one: Case): Schema {
  return Object.fromEntries(
    fields.flatMap((name) => {
      const value: unknown = one[name];
      const says = value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
      return says ? [[name, value]] : [];
    }),
  );
}

/** Values that clear a removed field; other fields cannot be cleared. */
const cleared: Schema = {
  checks: null,
  matchOptions: null,
  judge: null,
  intent: null,
  kind: null,
  isNegative: false,
  models: [],
  suppressedSuiteStandardCheckIds: [],
  expectedOutput: '',
  scenario: '',
};

/** The patch from one body to the other. */
export function changesOf(before: Schema, after: Schema): Schema {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      if (JSON.stringify(before[name]) === JSON.stringify(after[name])) return [];
      return [[name, after[name] === undefined ? cleared[name] : after[name]]];
    }),
  );
}

/** Client-side validation. */
export function problemsOf(body: Schema, before: Schema | undefined): Map<string, string> {
  const found = validate(caseSchema, body, root);
  const steps = Array.isArray(body['steps']) ? (body['steps'] as Schema[]) : [];
  const seen = new Set<unknown>();
  steps.forEach((step, at) => {
    if (seen.has(step?.['id'])) found.set(`steps.${at}.id`, 'Another step has this ID');
    seen.add(step?.['id']);
    if (step?.['kind'] !== 'assert') return;
    for (const [path, problem] of problemsOfCheck(step['assertion']))
      found.set(['steps', at, 'assertion', path].filter((part) => part !== '').join('.'), problem);
  });
  for (const name of Object.keys(before ?? {}))
    if (body[name] === undefined && !(name in cleared) && !found.has(name))
      found.set(name, 'Cannot be removed; enter another value');
  return found;
}

/** The step schema does not cover the check within it, so it is validated separately. */
function problemsOfCheck(value: unknown): Iterable<[string, string]> {
  const check = (value ?? {}) as Schema;
  const { type, kind } = check;
  const schema = schemaOfCheck(check);
  if (schema) return validate(schema, check, root);
  return [[kind === undefined || type !== undefined ? 'type' : 'kind', 'Must be a kind of check']];
}

export function schemaOfCheck({ type, kind }: Schema): Schema | undefined {
  if (typeof type === 'string') return checkSchemas[type];
  return typeof kind === 'string' ? widgetSchemas[kind] : undefined;
}

/** Field errors in a refusal such as `steps.0.prompt: Must …`. */
export function refusedFields(error: unknown): Map<string, string> {
  const found = new Map<string, string>();
  if (!(error instanceof DrydockError) || error.code !== 'VALIDATION_ERROR') return found;
  const [, path, problem] = /^(\w+(?:\.\w+)*): ([\s\S]+)$/.exec(error.message) ?? [];
  if (path !== undefined && problem !== undefined) found.set(path, problem);
  return found;
}

/** A number that no step uses as its ID. */
export function nextStepId(steps: readonly Schema[]): string {
  const taken = new Set(steps.map(({ id }) => id));
  let id = steps.length + 1;
  while (taken.has(String(id))) id++;
  return String(id);
}
