import type { AnySchema, ValidateFunction } from 'ajv';
import { isObject } from '../../platform/json/is-object.ts';
import { cut } from '../text/show.ts';
import { type Dialect, draft7, draft2020 } from './ajv.ts';
import { type Effort, EffortExceeded, newEffort, within } from './effort.ts';
import { copySchema, UnusableSchema } from './schema-copy.ts';
import { canonicalText, isShallow, jsonText, sha256 } from './value.ts';

/** Whether a value matches a schema. `unusable`: why it could not be validated. */
export type Validity = { valid: true } | { valid: false; problem: string } | { unusable: string };

/** Maximum bytes of a schema written by an author, and maximum characters of one declared by a server. */
const maxAuthored = 16 * 1024;
const maxDeclared = 128 * 1024;
const maxKept = 100;
const maxProblem = 300;

/** Validates a value, in bounded time for any schema and value. */
export function validateJson(schema: unknown, value: unknown, effort: Effort = newEffort()): Validity {
  const validate = validatorOf(schema);
  if (typeof validate === 'string') return { unusable: validate };
  if (!isShallow(value)) return { unusable: 'the value is nested too deeply' };
  try {
    if (within(effort, () => validate(value))) return { valid: true };
  } catch (error) {
    return { unusable: whyUnusable(error) };
  }
  const [error] = validate.errors ?? [];
  const where = error?.instancePath ? `${error.instancePath} ` : '';
  return { valid: false, problem: cut(`${where}${error?.message ?? 'does not fit'}`, maxProblem) };
}

/** Why an author should not store this schema. */
export function schemaProblem(schema: unknown): string | undefined {
  const text = jsonText(schema);
  if (text === undefined || Buffer.byteLength(text) > maxAuthored)
    return `Must be at most ${maxAuthored / 1024} KiB of JSON`;
  const validate = validatorOf(schema);
  return typeof validate === 'string' ? `Cannot be used: ${validate}` : undefined;
}

/** Compiled validators by schema hash; a string is the reason a schema is unusable. */
const validators = new Map<string, ValidateFunction | string>();

/** Hashes by identity: schemas of a server are immutable and validated in every trial. */
const keys = new WeakMap<object, string>();

function validatorOf(schema: unknown): ValidateFunction | string {
  const known = isObject(schema) ? keys.get(schema) : undefined;
  const text = known ?? canonicalText(schema);
  if (text === undefined) return 'it is nested too deeply';
  if (text.length > maxDeclared) return `it is larger than ${maxDeclared / 1024} KiB`;
  const key = known ?? sha256(text);
  if (isObject(schema)) keys.set(schema, key);
  const validate = validators.get(key) ?? compile(schema);
  // Moves the entry to the end of the map, so that the first entry is the least recently used.
  validators.delete(key);
  validators.set(key, validate);
  const [oldest] = validators.keys();
  if (validators.size > maxKept && oldest !== undefined) validators.delete(oldest);
  return validate;
}

function compile(schema: unknown): ValidateFunction | string {
  try {
    return within(newEffort(), () => {
      const dialect = dialectOf(schema);
      const copy = copySchema(schema) as AnySchema;
      if (!dialect.ofSchemas().validateSchema(copy))
        throw new UnusableSchema('it is not a valid JSON Schema');
      return dialect.compiler().compile(copy);
    });
  } catch (error) {
    return whyUnusable(error);
  }
}

function dialectOf(schema: unknown): Dialect {
  const uri = isObject(schema) ? schema['$schema'] : undefined;
  if (uri === undefined) return draft2020;
  const name =
    typeof uri === 'string' ? uri.replace(/^https?:\/\/json-schema\.org\//, '').replace(/#$/, '') : '';
  if (name === 'draft/2020-12/schema') return draft2020;
  if (name === 'draft-07/schema') return draft7;
  throw new UnusableSchema('its $schema is neither draft 2020-12 nor draft-07');
}

/** Errors come from our step limit, or from the library when it compiles a hostile schema. */
function whyUnusable(error: unknown): string {
  if (error instanceof EffortExceeded) return 'validating takes too many steps';
  if (error instanceof UnusableSchema) return error.message;
  if (error instanceof RangeError) return 'validating goes too deep';
  if (error instanceof Error) return `it cannot be compiled: ${cut(error.message, maxProblem)}`;
  throw error;
}
