import { z } from 'zod';
import type { Schema } from './types.ts';

type Direction = 'input' | 'output';
type Definitions = Record<string, Schema>;

const home = '#/components/schemas/';
/** Prefix of references in requests, until it is known whether the request form of a component differs. */
const fromRequest = 'request:';

/**
 * Collects the schemas of a document. A schema with an ID becomes a component; others stay where they are used. A
 * component whose request and response forms differ appears twice, the request form as `…Input`.
 */
export class Components {
  private readonly input = new Map<string, Schema>();
  private readonly output = new Map<string, Schema>();
  private readonly added = { input: new Map<z.ZodType, Schema>(), output: new Map<z.ZodType, Schema>() };

  /** Returns the schema or reference to use in the document, which is complete after `finish`. */
  add(schema: z.ZodType, direction: Direction): Schema {
    const added = this.added[direction].get(schema);
    if (added) return added;
    const { $defs = {}, ...json } = convert(schema, direction);
    for (const [name, definition] of Object.entries($defs)) this.note(name, definition, direction);
    this.added[direction].set(schema, json);
    return json;
  }

  finish<Part>(part: Part): { part: Part; schemas: Definitions } {
    const twins = this.twins();
    const rename = (name: string): string => (twins.has(name) ? `${name}Input` : name);
    const schemas = new Map(this.output);
    for (const [name, schema] of this.input) {
      if (twins.has(name) && schemas.has(rename(name)))
        throw new Error(`The ID ${rename(name)} is needed for the request form of ${name}`);
      schemas.set(rename(name), settle(schema, rename));
    }
    const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
    return { part: settle(part, rename), schemas: Object.fromEntries(sorted) };
  }

  private note(name: string, definition: Schema, direction: Direction): void {
    const known = this[direction].get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(definition))
      throw new Error(`Two different schemas of the contract have the ID ${name}`);
    this[direction].set(name, definition);
  }

  /** Names of components whose request and response forms differ, directly or by a reference. */
  private twins(): ReadonlySet<string> {
    const twins = new Set<string>();
    const rename = (name: string): string => (twins.has(name) ? `${name}Input` : name);
    const differs = ([name, schema]: [string, Schema]): boolean => {
      const answer = this.output.get(name);
      return (
        !twins.has(name) &&
        answer !== undefined &&
        JSON.stringify(answer) !== JSON.stringify(settle(schema, rename))
      );
    };
    // A new name changes the schemas that refer to it, so the search is repeated until it finds none.
    for (let more = [...this.input].filter(differs); more.length > 0; more = [...this.input].filter(differs))
      for (const [name] of more) twins.add(name);
    return twins;
  }
}

function convert(schema: z.ZodType, io: Direction): Schema & { $defs?: Definitions } {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Clients must ignore fields they do not know, so answers are open and requests closed.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
      // Zod adds these limits to every integer.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  const start = io === 'input' ? `${home}${fromRequest}` : home;
  return relink(json as Schema, '#/$defs/', (name) => `${start}${name}`);
}

function settle<Part>(part: Part, rename: (name: string) => string): Part {
  return relink(part, `${home}${fromRequest}`, (name) => `${home}${rename(name)}`);
}

/** Copies a part of the document, replacing references that begin with `start`. */
function relink<Part>(part: Part, start: string, target: (name: string) => string): Part {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]: [string, unknown]) =>
        key === '$ref' && typeof inner === 'string' && inner.startsWith(start)
          ? [key, target(inner.slice(start.length))]
          : [key, copy(inner)],
      ),
    );
  };
  return copy(part) as Part;
}
