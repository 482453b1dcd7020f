import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compileJavaScript } from '../text/pattern.ts';
import { searchWithinEffort, spend } from './effort.ts';
import { stepsKeyword, UnusableSchema } from './schema-copy.ts';
import { canonicalText, isObject } from './value.ts';

/** Steps charged for compiling one instruction of a pattern. */
const stepsOfInstruction = 75;

type AnyAjv = Ajv | Ajv2020;

/** A dialect of JSON Schema. */
export interface Dialect {
  /** Creates a new instance per schema, because an instance keeps everything it has compiled. */
  compiler: () => AnyAjv;
  /** Validates schemas. Created on first use, because creation is slow. */
  ofSchemas: () => AnyAjv;
}

export const draft2020: Dialect = dialect((options) => new Ajv2020(options));
export const draft7: Dialect = dialect((options) => new Ajv(options));

function dialect(make: (options: Options) => AnyAjv): Dialect {
  let ofSchemas: AnyAjv | undefined;
  return {
    compiler: () => bounded(make({ ...options, meta: false })),
    ofSchemas: () => (ofSchemas ??= bounded(make({ ...options, meta: true }))),
  };
}

const options: Options = {
  strict: false,
  logger: false,
  validateSchema: false,
  validateFormats: false,
  ownProperties: true,
  inlineRefs: false,
  // Generates loops instead of one line of code per item for lists of more than 20 items.
  loopRequired: 20,
  loopEnum: 20,
  // Optimizing the generated code takes several times as long as generating it.
  code: { optimize: false, regExp: Object.assign(regExp, { code: 'regExp' }) },
};

/**
 * Following references can take time that doubles with each level, so every part of a schema spends its steps before it
 * validates. Replaces the library's `uniqueItems`, which compares every pair of items.
 */
function bounded(ajv: AnyAjv): AnyAjv {
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

/** The cost of validating a value, excluding nested values. */
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

/** Replaces JavaScript's RegExp with RE2. The library compares patterns by `toString`. */
function regExp(source: string): { test(text: string): boolean; toString(): string } {
  const compiled = compileJavaScript(source, { unicode: true });
  if ('problem' in compiled) throw new UnusableSchema(`a pattern in it cannot be used: ${compiled.problem}`);
  spend(compiled.pattern.size * stepsOfInstruction);
  return { test: (text) => searchWithinEffort(source, text), toString: () => source };
}
