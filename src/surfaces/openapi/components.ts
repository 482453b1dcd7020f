import { z } from 'zod';
import type { Schema } from './types.ts';

type Direction = 'input' | 'output';
type Definitions = Record<string, Schema>;

const home = '#/components/schemas/';
/** Marks a reference from a request until it is known whether the request has a reading of its own. */
const fromRequest = 'request:';

/**
 * The schemas of a document. One with an id becomes a component, the rest stay where they are used. A
 * component that reads differently in a request than in an answer appears twice, the request's as
 * `…Input`.
 */
export class Components {
  private readonly input = new Map<string, Schema>();
  private readonly output = new Map<string, Schema>();
  private readonly added = { input: new Map<z.ZodType, Schema>(), output: new Map<z.ZodType, Schema>() };

  /** The reference to put where the schema is used. The document is usable after `finish`. */
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
        throw new Error(`The id ${rename(name)} is needed for the request form of ${name}`);
      schemas.set(rename(name), settle(schema, rename));
    }
    const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
    return { part: settle(part, rename), schemas: Object.fromEntries(sorted) };
  }

  private note(name: string, definition: Schema, direction: Direction): void {
    const known = this[direction].get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(definition))
      throw new Error(`Two different schemas of the contract have the id ${name}`);
    this[direction].set(name, definition);
  }

  /** Names whose two readings differ, in themselves or in what they refer to. */
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
    // A twin changes what refers to it, so look again until nothing is new.
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
      // Every integer has these; they say nothing.
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

/** A copy whose references that begin with `start` point elsewhere. */
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
