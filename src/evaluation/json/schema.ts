import { Ajv, type AnySchema, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compilePattern, newWork, type Work } from '../text/pattern.ts';
import { cut } from '../text/show.ts';
import { copySchema, stepsKeyword, UnusableSchema } from './schema-copy.ts';
import { canonicalText, isObject, isShallow, jsonText, sha256 } from './value.ts';

/** Whether a value fits a schema. `unusable`: nothing can be said, and why. */
export type Validity = { valid: true } | { valid: false; problem: string } | { unusable: string };

/** Of a schema that an author writes, and of one that a server declares. */
const mostAuthored = 16 * 1024;
const mostDeclared = 128 * 1024;
/** A third of a second at worst. A value of 100,000 parts takes a third of them, if the schema is plain. */
const mostSteps = 2_000_000;
/** Compiling an instruction of a pattern takes as long as so many steps. */
const stepsOfInstruction = 75;
const kept = 100;

class OutOfSteps extends Error {}

/** How much validating may still be done. What is asked in one go shares one. */
export interface Effort {
  steps: number;
  work: Work;
}

export function newEffort(): Effort {
  return { steps: mostSteps, work: newWork() };
}

/**
 * Validation is synchronous, so the effort of the one that is going on stands here. Following references can take time
 * that doubles with each level, so every part of a schema counts its work before it is done.
 */
let effort = newEffort();

export function validateJson(schema: unknown, value: unknown, shared = newEffort()): Validity {
  const validate = validatorOf(schema);
  if (typeof validate === 'string') return { unusable: validate };
  if (!isShallow(value)) return { unusable: 'the value is nested too deeply' };
  return bounded(shared, () => {
    if (validate(value)) return { valid: true };
    const [error] = validate.errors ?? [];
    const where = error?.instancePath ? `${error.instancePath} ` : '';
    return { valid: false, problem: cut(`${where}${error?.message ?? 'does not fit'}`, 300) };
  });
}

/** Why an author should not store this schema. */
export function schemaProblem(schema: unknown): string | undefined {
  const text = jsonText(schema);
  if (text === undefined || Buffer.byteLength(text) > mostAuthored)
    return `Must be at most ${mostAuthored / 1024} KiB of JSON`;
  const validate = validatorOf(schema);
  return typeof validate === 'string' ? `Cannot be used: ${validate}` : undefined;
}

/** What was compiled last, by the hash of the schema; a text says why one cannot be used. */
const validators = new Map<string, ValidateFunction | string>();

function validatorOf(schema: unknown): ValidateFunction | string {
  const text = canonicalText(schema);
  if (text === undefined) return 'it is nested too deeply';
  if (text.length > mostDeclared) return `it is larger than ${mostDeclared / 1024} KiB`;
  const key = sha256(text);
  const known = validators.get(key) ?? compile(schema);
  validators.delete(key);
  validators.set(key, known);
  for (const oldest of validators.keys()) {
    if (validators.size <= kept) break;
    validators.delete(oldest);
  }
  return known;
}

function compile(schema: unknown): ValidateFunction | string {
  const made = bounded(newEffort(), (): Validity | { validate: ValidateFunction } => {
    const dialect = dialectOf(schema);
    const copy = copySchema(schema) as AnySchema;
    if (!dialect.ofSchemas().validateSchema(copy)) return { unusable: 'it is not a valid JSON Schema' };
    return { validate: newAjv(dialect.Ajv).compile(copy) };
  });
  if ('validate' in made) return made.validate;
  return 'unusable' in made ? made.unusable : 'it is not a valid JSON Schema';
}

/** The errors that can come out of a library that is given a hostile schema, or of our own counting. */
function bounded<Made>(allowed: Effort, make: () => Made | Validity): Made | Validity {
  effort = allowed;
  try {
    return make();
  } catch (error) {
    if (error instanceof OutOfSteps) return { unusable: 'validating takes too many steps' };
    if (error instanceof UnusableSchema) return { unusable: error.message };
    if (error instanceof RangeError) return { unusable: 'validating goes too deep' };
    if (error instanceof Error) return { unusable: `it cannot be compiled: ${cut(error.message, 200)}` };
    throw error;
  }
}

interface Dialect {
  Ajv: typeof Ajv | typeof Ajv2020;
  /** Validates schemas, not values. Made when first needed, since that takes a while. */
  ofSchemas: () => Ajv | Ajv2020;
}

const latest: Dialect = { Ajv: Ajv2020, ofSchemas: once(() => newAjv(Ajv2020, true)) };
const draft7: Dialect = { Ajv, ofSchemas: once(() => newAjv(Ajv, true)) };

function dialectOf(schema: unknown): Dialect {
  const uri = isObject(schema) ? schema['$schema'] : undefined;
  if (uri === undefined) return latest;
  if (typeof uri === 'string') {
    const name = uri.replace(/^https?:\/\/json-schema\.org\//, '').replace(/#$/, '');
    if (name === 'draft/2020-12/schema') return latest;
    if (name === 'draft-07/schema') return draft7;
  }
  throw new UnusableSchema('its $schema is neither draft 2020-12 nor draft-07');
}

/** One for each schema: an instance never forgets what it has compiled. */
function newAjv(Dialect: typeof Ajv | typeof Ajv2020, ofSchemas = false): Ajv | Ajv2020 {
  const options: Options = {
    strict: false,
    logger: false,
    meta: ofSchemas,
    validateSchema: false,
    validateFormats: false,
    ownProperties: true,
    inlineRefs: false,
    loopRequired: 20,
    loopEnum: 20,
    // Making the code shorter takes several times as long as making it.
    code: { optimize: false, regExp: Object.assign(regExp, { code: 'regExp' }) },
  };
  const ajv = new Dialect(options);
  ajv.addKeyword({
    keyword: stepsKeyword,
    schemaType: 'number',
    before: '$ref',
    errors: false,
    validate: (weight: number, value: unknown) => {
      spend(weight + sizeOf(value));
      return true;
    },
  });
  // The one of the library compares each item with each.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (unique: boolean, items: unknown[]) => !unique || areUnique(items),
  });
  return ajv;
}

function spend(count: number): void {
  effort.steps -= count;
  if (effort.steps < 0) throw new OutOfSteps();
}

/** What looking at a value costs, its inner values aside. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 6;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const isPlain = typeof item !== 'object' || item === null;
    const text = (isPlain ? JSON.stringify(item) : canonicalText(item)) ?? '';
    spend(isPlain ? 1 : 30 + (text.length >> 2));
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}

function regExp(source: string): { test(text: string): boolean } {
  const compiled = compilePattern(source);
  if ('problem' in compiled) throw new UnusableSchema(`a pattern in it cannot be used: ${compiled.problem}`);
  spend(compiled.pattern.size * stepsOfInstruction);
  return {
    test(text) {
      const matches = compiled.pattern.test(text, effort.work);
      if (matches === undefined) throw new OutOfSteps();
      return matches;
    },
    // The library tells patterns apart by this.
    toString: () => source,
  } as { test(text: string): boolean };
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
