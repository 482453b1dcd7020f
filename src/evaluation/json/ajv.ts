import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compileJavaScript } from '../text/pattern.ts';
import { isFound, spend } from './effort.ts';
import { stepsKeyword, UnusableSchema } from './schema-copy.ts';
import { canonicalText, isObject } from './value.ts';

/** Compiling an instruction of a pattern takes as long as so many steps. */
const stepsOfInstruction = 75;

type AnyAjv = Ajv | Ajv2020;

/** A dialect of JSON Schema. */
export interface Dialect {
  /** Compiles one schema: an instance never forgets what it has compiled. */
  compiler: () => AnyAjv;
  /** Validates schemas. Made when first needed, since that takes a while. */
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
  // Loops in place of one line of code for each item.
  loopRequired: 20,
  loopEnum: 20,
  // Making the code shorter takes several times as long as making it.
  code: { optimize: false, regExp: Object.assign(regExp, { code: 'regExp' }) },
};

/**
 * Following references can take time that doubles with each level, so every part of a schema counts its work before it
 * is done. The library's own `uniqueItems` compares each item with each.
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

/** The cost of validating a value, without its inner values. */
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

/** In place of the regular expressions of JavaScript. The library tells two of them apart by `toString`. */
function regExp(source: string): { test(text: string): boolean; toString(): string } {
  const compiled = compileJavaScript(source, { unicode: true });
  if ('problem' in compiled) throw new UnusableSchema(`a pattern in it cannot be used: ${compiled.problem}`);
  spend(compiled.pattern.size * stepsOfInstruction);
  return { test: (text) => isFound(source, text), toString: () => source };
}
