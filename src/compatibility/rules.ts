import { isObject } from '../platform/json/is-object.ts';
import { below, shown } from './difference.ts';
import { type ConstraintChange, type Rule, report, type Schema, same, type Walk } from './walk.ts';

const allTypes = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

function typesOf({ type }: Schema): Set<string> {
  const named: unknown[] = type === undefined ? allTypes : Array.isArray(type) ? type : [type];
  const known = allTypes.filter((one) => named.includes(one));
  // Every integer is a number.
  return new Set(known.includes('number') ? [...known, 'integer'] : known);
}

const types: Rule = (walk, before, after, place) => {
  const [was, is] = [typesOf(before), typesOf(after)];
  const lost = [...was].filter((type) => !is.has(type));
  const won = [...is].filter((type) => !was.has(type));
  if (lost.length === 0 && won.length === 0) return;
  const shift = won.length === 0 ? 'narrowed' : lost.length === 0 ? 'widened' : 'changed';
  const [from, to] = [before, after].map(({ type }) => (type === undefined ? 'any type' : shown(type)));
  report(walk, shift, below(place, 'type'), `The type went from ${from} to ${to}`);
};

const values: Rule = (walk, before, after, place) => {
  const [was, is] = [valuesOf(walk, before), valuesOf(walk, after)];
  if (!was && !is) return;
  const at = below(place, 'const' in after ? 'const' : 'enum');
  if (!was) return report(walk, 'narrowed', at, `Only certain values are valid now: ${some(is)}`);
  if (!is) return report(walk, 'widened', at, 'Values are no longer limited to certain ones');
  const lost = new Map([...was].filter(([number]) => !is.has(number)));
  const won = new Map([...is].filter(([number]) => !was.has(number)));
  if (lost.size > 0) report(walk, 'narrowed', at, `Values were removed: ${some(lost)}`);
  if (won.size > 0) report(walk, 'widened', at, `Values were added: ${some(won)}`);
};

function valuesOf({ identity }: Walk, schema: Schema): Map<number | undefined, unknown> | undefined {
  const listed: unknown = schema['enum'];
  if (Array.isArray(listed)) return new Map(listed.map((value) => [identity(value), value]));
  return 'const' in schema ? new Map([[identity(schema['const']), schema['const']]]) : undefined;
}

const maxNamed = 5;

function some(values: ReadonlyMap<unknown, unknown> | undefined): string {
  const all = [...(values?.values() ?? [])];
  const more = all.length - maxNamed;
  const named = all.slice(0, maxNamed).map((value) => cut(shown(value)));
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39).toWellFormed()}…` : text;
}

const textsOf = (value: unknown): Set<string> =>
  new Set(Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);

const required: Rule = (walk, before, after, place) => {
  const [was, is] = [textsOf(before['required']), textsOf(after['required'])];
  const { direction } = walk;
  for (const name of is)
    if (!was.has(name)) {
      const message =
        direction === 'input' ? `${shown(name)} is required now` : `${shown(name)} is always present now`;
      report(walk, 'narrowed', below(place, 'required'), message, 'required');
    }
  // A property that is no longer declared is reported once, as removed.
  for (const name of was)
    if (!is.has(name) && Object.hasOwn(propertiesOf(after), name)) {
      const message =
        direction === 'input' ? `${shown(name)} is optional now` : `${shown(name)} may be absent now`;
      report(walk, 'widened', below(place, 'required'), message, 'optional');
    }
};

function propertiesOf(schema: Schema): Schema {
  return isObject(schema['properties']) ? schema['properties'] : {};
}

const properties: Rule = (walk, before, after, place, depth) => {
  const [was, is] = [propertiesOf(before), propertiesOf(after)];
  const { differences, direction } = walk;
  for (const name of Object.keys(was)) {
    const at = below(place, 'properties', name);
    if (Object.hasOwn(is, name)) walk.compare(was[name], is[name], at, depth + 1);
    else if (direction === 'output')
      differences.add('breaking', 'removed', at, `${shown(name)} is no longer returned`);
    else if (after['additionalProperties'] === false)
      differences.add('breaking', 'removed', at, `${shown(name)} is no longer accepted`);
    else differences.add('risky', 'removed', at, `${shown(name)} is no longer declared; it may be ignored`);
  }
  for (const name of Object.keys(is))
    if (!Object.hasOwn(was, name))
      differences.add('safe', 'added', below(place, 'properties', name), `${shown(name)} is new`);
};

const additional: Rule = (walk, before, after, place, depth) => {
  const key = 'additionalProperties';
  const [was, is] = [before[key] ?? true, after[key] ?? true];
  if (was === is) return;
  const at = below(place, key);
  if (isObject(was) && isObject(is)) return walk.compare(was, is, at, depth + 1);
  const open = (value: unknown): boolean => value !== false;
  if (open(was) && !open(is)) report(walk, 'narrowed', at, 'Additional properties are not allowed now');
  // Clients do not rely on the absence of further properties.
  else if (!open(was) && open(is))
    walk.differences.add('safe', 'widened', at, 'Additional properties are allowed now');
  else if (isObject(is) || isObject(was))
    report(walk, isObject(is) ? 'narrowed' : 'widened', at, 'The schema of additional properties changed');
};

const least = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'];
const most = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'];

const limits: Rule = (walk, before, after, place) => {
  for (const [keys, sign] of [
    [least, 1],
    [most, -1],
  ] as const)
    for (const key of keys) {
      const [was, is] = [numberIn(before, key), numberIn(after, key)];
      if (was === is) continue;
      const tighter = was === undefined || (is !== undefined && (is - was) * sign > 0);
      const message =
        is === undefined
          ? `The limit ${key} was removed`
          : `${key} is ${is} now${was === undefined ? '' : `, was ${was}`}`;
      report(walk, tighter ? 'narrowed' : 'widened', below(place, key), message);
    }
};

function numberIn(schema: Schema, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}

const constraints: Rule = (walk, before, after, place) => {
  for (const key of [
    'pattern',
    'format',
    'multipleOf',
    'uniqueItems',
    'contentEncoding',
    'contentMediaType',
  ]) {
    const [was, is] = [given(before[key]), given(after[key])];
    if (same(walk, was, is)) continue;
    const shift = was === undefined ? 'narrowed' : is === undefined ? 'widened' : 'changed';
    const [from, to] = [was, is].map((value) => (value === undefined ? 'nothing' : shown(value)));
    report(walk, shift, below(place, key), `${key} went from ${from} to ${to}`);
  }
};

/** `false` has the same meaning as an absent keyword. */
function given(value: unknown): unknown {
  return value === false ? undefined : value;
}

const nested: Rule = (walk, before, after, place, depth) => {
  for (const key of [
    'items',
    'propertyNames',
    'contains',
    'additionalItems',
    'unevaluatedItems',
    'unevaluatedProperties',
  ])
    if (!Array.isArray(before[key]) && !Array.isArray(after[key]) && (key in before || key in after))
      walk.compare(before[key] ?? true, after[key] ?? true, below(place, key), depth + 1);
  for (const key of ['prefixItems', 'items']) {
    const [was, is] = [before[key], after[key]].map((value) => (Array.isArray(value) ? value : undefined));
    if (!was && !is) continue;
    for (let at = 0; at < Math.max(was?.length ?? 0, is?.length ?? 0); at++)
      walk.compare(was?.[at] ?? true, is?.[at] ?? true, below(place, key, at), depth + 1);
  }
  for (const key of ['patternProperties', 'dependentSchemas']) {
    const [was, is] = [before[key], after[key]].map((value) => (isObject(value) ? value : {})) as [
      Schema,
      Schema,
    ];
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)]))
      walk.compare(was[name] ?? true, is[name] ?? true, below(place, key, name), depth + 1);
  }
};

/** Compares the schemas of anyOf, oneOf and allOf. Unchanged ones are skipped; the rest is compared in order. */
const alternatives: Rule = (walk, before, after, place, depth) => {
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const [was, is] = [listIn(before, key), listIn(after, key)];
    const gone = missingFrom(walk, is, was);
    const come = missingFrom(walk, was, is);
    if (gone.length === 0 && come.length === 0) continue;
    const whole = below(place, key);
    if (was.length === 0 || is.length === 0) {
      const shift = is.length === 0 ? 'widened' : 'narrowed';
      report(walk, shift, whole, is.length === 0 ? `${key} was removed` : `${key} was added`);
    } else if (gone.length === come.length)
      gone.forEach(({ part, at }, nth) => {
        const other = come[nth] as (typeof come)[number];
        const there = {
          ...whole,
          baseline: `${whole.baseline}/${at}`,
          current: `${whole.current}/${other.at}`,
        };
        walk.compare(part, other.part, there, depth + 1);
      });
    else {
      const [fewer, more]: [ConstraintChange, ConstraintChange] =
        key === 'allOf' ? ['widened', 'narrowed'] : ['narrowed', 'widened'];
      if (gone.length > 0)
        report(walk, fewer, whole, `${gone.length} of ${was.length} schemas of ${key} were removed`);
      if (come.length > 0) report(walk, more, whole, `${come.length} schemas were added to ${key}`);
    }
  }
};

function missingFrom(
  { identity }: Walk,
  others: readonly unknown[],
  list: readonly unknown[],
): { part: unknown; at: number }[] {
  const there = new Set(others.map(identity));
  return list.map((part, at) => ({ part, at })).filter(({ part }) => !there.has(identity(part)));
}

function listIn(schema: Schema, key: string): unknown[] {
  const value = schema[key];
  return Array.isArray(value) ? value : [];
}

/** Keywords whose changes cannot be rated. */
const unclear: Rule = (walk, before, after, place) => {
  for (const key of ['not', 'if', 'then', 'else', 'dependentRequired', '$ref'])
    if (!same(walk, before[key], after[key]))
      walk.differences.add(
        'risky',
        'changed',
        below(place, key),
        `${key} changed; whether fewer values are valid is unknown`,
      );
};

/** Texts with which models decide on arguments. */
const texts: Rule = (walk, before, after, place) => {
  for (const key of ['description', 'title', 'default', 'examples', 'deprecated'])
    if (!same(walk, before[key], after[key]))
      walk.differences.add(
        'risky',
        'text',
        below(place, key),
        `${key} went from ${shown(before[key])} to ${shown(after[key])}`,
      );
};

/** Each rule handles its own keywords. */
export const rules: readonly Rule[] = [
  types,
  values,
  required,
  properties,
  additional,
  limits,
  constraints,
  nested,
  alternatives,
  unclear,
  texts,
];
