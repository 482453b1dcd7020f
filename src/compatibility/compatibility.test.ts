import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scaled } from '../../test/support/slowdown.ts';
import { validateJson } from '../evaluation/json/schema.ts';
import { type Difference, Differences } from './difference.ts';
import { compareExports, type ServerExport } from './exports.ts';
import { compareSchemas } from './schemas.ts';
import type { Direction } from './walk.ts';

const ship = {
  name: 'inspect_hull',
  description: 'Looks at the hull of a ship.',
  inputSchema: {
    type: 'object',
    properties: {
      ship: { type: 'string', description: 'Its name.' },
      depth: { type: ['integer', 'null'], minimum: 0 },
      side: { enum: ['port', 'starboard'] },
    },
    required: ['ship'],
  },
  outputSchema: {
    type: 'object',
    properties: { plates: { type: 'integer' }, note: { type: 'string' } },
    required: ['plates', 'note'],
  },
  annotations: { readOnlyHint: true },
};

function exported(change: Partial<ServerExport> = {}): ServerExport {
  return {
    server: { name: 'dock', version: '1.0.0' },
    protocolVersion: '2025-06-18',
    instructions: 'Ask for ships.',
    capabilities: { tools: {}, prompts: {} },
    tools: [ship],
    prompts: [{ name: 'report', arguments: [{ name: 'ship', required: true }, { name: 'tone' }] }],
    resources: [{ uri: 'dock://log', name: 'Log', mimeType: 'text/plain' }],
    resourceTemplates: [{ uriTemplate: 'dock://ships/{name}', name: 'Ship' }],
    ...change,
  };
}

/** The export with a changed copy of the tool. */
function withTool(change: (tool: typeof ship & Record<string, unknown>) => void): ServerExport {
  const tool = structuredClone(ship) as typeof ship & Record<string, unknown>;
  change(tool);
  return exported({ tools: [tool] });
}

const said = ({ impact, kind, pointer, in: where }: Difference) => `${impact} ${kind} ${where}${pointer}`;
const input = '/tools/0/inputSchema';
const output = '/tools/0/outputSchema';

test.each<[string, ServerExport, string[]]>([
  ['a tool is gone', exported({ tools: [] }), ['breaking removed baseline/tools/0']],
  ['a tool is new', exported({ tools: [{ name: 'a' }, ship] }), ['safe added current/tools/0']],
  [
    'a parameter must be given',
    withTool((tool) => tool.inputSchema.required.push('side')),
    [`breaking required current${input}/required`],
  ],
  [
    'a new parameter must be given',
    withTool((tool) => {
      Object.assign(tool.inputSchema.properties, { dock: { type: 'string' } });
      tool.inputSchema.required.push('dock');
    }),
    [`breaking required current${input}/required`, `safe added current${input}/properties/dock`],
  ],
  [
    'a parameter may be left out',
    withTool((tool) => tool.inputSchema.required.pop()),
    [`safe optional current${input}/required`],
  ],
  [
    'a type is narrowed',
    withTool((tool) => (tool.inputSchema.properties.depth.type = ['integer'])),
    [`breaking narrowed current${input}/properties/depth/type`],
  ],
  [
    'a type is widened',
    withTool((tool) => (tool.inputSchema.properties.depth.type = ['number', 'null'])),
    [`safe widened current${input}/properties/depth/type`],
  ],
  [
    'a limit is tighter',
    withTool((tool) => (tool.inputSchema.properties.depth.minimum = 1)),
    [`breaking narrowed current${input}/properties/depth/minimum`],
  ],
  [
    'a value is gone, another is new',
    withTool((tool) => (tool.inputSchema.properties.side.enum = ['port', 'stern'])),
    [
      `breaking narrowed current${input}/properties/side/enum`,
      `safe widened current${input}/properties/side/enum`,
    ],
  ],
  [
    'a parameter is no longer declared',
    withTool((tool) => delete (tool.inputSchema.properties as Record<string, unknown>)['side']),
    [`risky removed baseline${input}/properties/side`],
  ],
  [
    'what is not declared is refused',
    withTool((tool) => Object.assign(tool.inputSchema, { additionalProperties: false })),
    [`breaking narrowed current${input}/additionalProperties`],
  ],
  [
    'less is given',
    withTool((tool) => {
      delete (tool.outputSchema.properties as Record<string, unknown>)['note'];
      tool.outputSchema.required = ['plates'];
    }),
    [`breaking removed baseline${output}/properties/note`],
  ],
  [
    'something may be missing',
    withTool((tool) => (tool.outputSchema.required = ['plates'])),
    [`breaking optional current${output}/required`],
  ],
  [
    'what is given may be null',
    withTool((tool) => Object.assign(tool.outputSchema.properties.note, { type: ['string', 'null'] })),
    [`breaking widened current${output}/properties/note/type`],
  ],
  [
    'the schema of the output is gone',
    withTool((tool) => delete (tool as Record<string, unknown>)['outputSchema']),
    [`breaking removed baseline${output}`],
  ],
  [
    'descriptions and annotations that models read',
    withTool((tool) => {
      tool.description = 'Looks.';
      tool.annotations.readOnlyHint = false;
      tool.inputSchema.properties.ship.description = 'Which.';
    }),
    [
      'risky text current/tools/0/description',
      'risky text current/tools/0/annotations/readOnlyHint',
      `risky text current${input}/properties/ship/description`,
    ],
  ],
  [
    'a prompt asks for more',
    exported({
      prompts: [
        {
          name: 'report',
          arguments: [{ name: 'ship', required: true }, { name: 'tone', required: true }, { name: 'pages' }],
        },
      ],
    }),
    ['breaking required current/prompts/0/arguments/1/required', 'safe added current/prompts/0/arguments/2'],
  ],
  [
    'resources',
    exported({ resources: [], resourceTemplates: [{ uriTemplate: 'dock://ships/{name}', name: 'Boat' }] }),
    ['breaking removed baseline/resources/0', 'risky text current/resourceTemplates/0/name'],
  ],
  [
    'what the server says of itself',
    exported({
      server: { name: 'dock', version: '1.0.1' },
      instructions: 'Ask.',
      capabilities: { tools: {}, logging: {} },
    }),
    [
      'breaking removed baseline/capabilities/prompts',
      'risky text current/instructions',
      'safe added current/capabilities/logging',
      'safe text current/server/version',
    ],
  ],
])('%s', async (_, current, expected) => {
  const { differences, impact, omitted } = await compareExports(exported(), current);
  expect(differences.map(said)).toEqual(expected);
  expect(impact).toBe(expected[0]?.split(' ')[0]);
  expect(omitted).toBe(0);
  for (const { message } of differences) expect(message).toMatch(/^\S.{5,300}$/);
});

test('an unchanged server differs in nothing, also when its list is in another order', async () => {
  expect(await compareExports(exported(), exported())).toEqual({
    impact: undefined,
    counts: { breaking: 0, risky: 0, safe: 0 },
    differences: [],
    omitted: 0,
  });
  const [a, b] = [{ name: 'a' }, { name: 'b' }];
  const other = await compareExports(exported({ tools: [a, b] }), exported({ tools: [b, a] }));
  expect(other.differences).toEqual([]);
});

function schemasApart(direction: Direction, baseline: unknown, current: unknown): string[] {
  const differences = new Differences();
  const place = { subject: 's', baseline: '', current: '' };
  compareSchemas(differences, direction, baseline, current, place);
  return differences.sorted().map(said);
}

test('references are followed, also in circles', () => {
  const tree = (leaf: object) => ({
    $ref: '#/$defs/node',
    $defs: {
      node: { type: 'object', properties: { leaf, next: { $ref: '#/$defs/node' } } },
    },
  });
  expect(schemasApart('input', tree({ type: 'string' }), tree({ type: 'string' }))).toEqual([]);
  expect(schemasApart('input', tree({ type: 'string' }), tree({ type: 'integer' }))).toEqual([
    'breaking changed current/properties/leaf/type',
  ]);
});

test('alternatives are compared one by one', () => {
  const of = (...anyOf: object[]) => ({ anyOf });
  const [text, whole, nothing] = [{ type: 'string' }, { type: 'integer' }, { type: 'null' }];
  expect(schemasApart('input', of(text, nothing), of(nothing, text))).toEqual([]);
  expect(schemasApart('input', of(text, nothing), of(text))).toEqual(['breaking narrowed current/anyOf']);
  expect(schemasApart('output', of(text), of(text, nothing))).toEqual(['breaking widened current/anyOf']);
  expect(schemasApart('input', of(nothing, text), of(nothing, whole))).toEqual([
    'breaking changed current/anyOf/1/type',
  ]);
});

test('what changes everywhere is told in part, the worst of it for certain', async () => {
  const many = (description: string, from: number) =>
    Array.from({ length: 800 }, (_, n) => ({ name: `t${n + from}`, description }));
  const { differences, counts, omitted } = await compareExports(
    exported({ tools: [...many('a', 0), ship] }),
    exported({ tools: many('b', 0) }),
  );
  expect(counts).toEqual({ breaking: 1, risky: 800, safe: 0 });
  expect(differences).toHaveLength(500);
  expect(omitted).toBe(301);
  expect(differences[0]?.impact).toBe('breaking');
});

test('a schema that is large or no schema is compared in bounded time', () => {
  let deep: object = { type: 'string' };
  for (let level = 0; level < 200; level++) deep = { type: 'object', properties: { a: deep } };
  let other: object = { type: 'integer' };
  for (let level = 0; level < 200; level++) other = { type: 'object', properties: { a: other } };
  expect(schemasApart('input', deep, other)[0]).toMatch(/^breaking changed/);
  expect(schemasApart('input', { type: 'string' }, 7)).toEqual(['breaking changed current']);
  expect(schemasApart('input', true, false)).toEqual(['breaking narrowed current']);
});

/** Schemas designed to make a comparison slow, each with a slightly different one. */
function hostilePairs(): Record<string, [ServerExport, ServerExport]> {
  const many = <T>(count: number, make: (nth: number) => T): T[] =>
    Array.from({ length: count }, (_, n) => make(n));
  const keys = (count: number, value: (nth: number) => unknown) =>
    Object.fromEntries(many(count, (n) => [`k${n}`, value(n)]));
  const tools = (...schemas: object[]): ServerExport =>
    exported({ tools: schemas.map((inputSchema, n) => ({ name: `t${n}`, inputSchema })) });
  /**
   * Each level is referenced twice, with different keywords beside the reference, so that it resolves to a new object
   * each time.
   */
  const doubling = (leaf: string, fat = 0) => ({
    $ref: '#/$defs/d0',
    $defs: {
      ...Object.fromEntries(
        many(40, (n) => [
          `d${n}`,
          {
            ...keys(fat, (k) => k),
            properties: {
              a: { $ref: `#/$defs/d${n + 1}`, title: 'a' },
              b: { $ref: `#/$defs/d${n + 1}`, title: 'b' },
            },
          },
        ]),
      ),
      d40: { type: leaf },
    },
  });
  /** Long chains of references through large definitions to a trivial one. */
  const chain = (leaf: string) => ({
    title: leaf,
    properties: keys(5_000, () => ({ $ref: '#/$defs/c0', title: 'x' })),
    $defs: {
      ...Object.fromEntries(
        many(15, (n) => [`c${n}`, { $ref: `#/$defs/c${n + 1}`, ...keys(2_000, () => 0) }]),
      ),
      c15: true,
    },
  });
  const deep = (leaf: string) => {
    let schema: object = { description: leaf, enum: many(20_000, (n) => `${n}`.repeat(20)) };
    for (let level = 0; level < 60; level++) schema = { type: 'object', properties: { a: schema } };
    return schema;
  };
  const self = (title: string) => ({ title, properties: keys(50, () => ({ $ref: '#', title })) });
  const pair = (make: (leaf: string) => object): [ServerExport, ServerExport] => [
    tools(make('string')),
    tools(make('integer')),
  ];
  return {
    'one name, many times': [
      exported({ tools: many(30_000, () => ({ name: 'a' })) }),
      exported({ tools: many(30_000, () => ({ name: 'a', description: 'b' })) }),
    ],
    'many alternatives': pair((leaf) => ({ anyOf: many(20_000, (n) => ({ title: `${leaf} ${n}` })) })),
    'references that double': pair((leaf) => doubling(leaf)),
    'references that double, to much': pair((leaf) => doubling(leaf, 500)),
    'references that double, in many tools': [
      tools(...many(300, () => doubling('string'))),
      tools(...many(300, () => doubling('integer'))),
    ],
    'long chains of references': pair(chain),
    'references to the whole': pair(self),
    'deep, with much at the bottom': pair(deep),
    'long pointers': pair((leaf) => ({
      properties: keys(2_000, () => ({ $ref: `#/${'a/'.repeat(500)}`, title: leaf })),
    })),
    'large values': pair((leaf) => ({
      properties: keys(1_000, (n) => ({
        default: keys(20, () => `${leaf} ${n}`),
        enum: [keys(20, () => leaf)],
      })),
    })),
    'many properties': pair((leaf) => ({ properties: keys(50_000, (n) => ({ title: `${leaf} ${n}` })) })),
  };
}

test.each(Object.entries(hostilePairs()))('takes bounded time: %s', async (_, [baseline, current]) => {
  let [last, longest] = [performance.now(), 0];
  const beat = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  const began = performance.now();
  const { counts } = await compareExports(baseline, current).finally(() => clearInterval(beat));
  longest = Math.max(longest, performance.now() - last);
  expect(counts.breaking + counts.risky).toBeGreaterThan(0);
  // Many times the usual duration, to tolerate a busy machine; without limits the comparison takes minutes.
  expect(performance.now() - began).toBeLessThan(scaled(15_000));
  expect(longest).toBeLessThan(scaled(4_000));
});

/** Small schemas with few names, so that two of them often overlap. */
const leaf = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('string', 'integer', 'number', 'null', ['string', 'null'], ['integer', 'string']),
      minimum: fc.integer({ min: 0, max: 3 }),
      maxLength: fc.integer({ min: 0, max: 3 }),
    },
    { requiredKeys: [] },
  ),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'b', 1, 2, null), { minLength: 1 }) }),
  fc.record({ const: fc.constantFrom('a', 1) }),
);
const schemas = fc.letrec<{ schema: object; object: object; list: object; either: object }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3 }, leaf, tie('object'), tie('list'), tie('either')),
  object: fc
    .tuple(
      fc.dictionary(fc.constantFrom('p', 'q'), tie('schema')),
      fc.uniqueArray(fc.constantFrom('p', 'q'), { maxLength: 2 }),
    )
    .map(([properties, required]) => ({
      type: 'object',
      properties,
      required: required.filter((name) => Object.hasOwn(properties, name)),
    })),
  list: fc.record({
    type: fc.constant('array'),
    items: tie('schema'),
    minItems: fc.integer({ min: 0, max: 2 }),
  }),
  either: fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
})).schema;
const plain = fc.constantFrom('', 'a', 'b', 'abcd', 0, 1, 2, 2.5, null, true);
const someValues = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    plain,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('p', 'q'), tie('value')),
  ),
})).value;

const fits = (schema: object, value: unknown) => validateJson(schema, value);
/** The declared properties, to skip pairs that differ in them: those differences have rules of their own. */
const declared = (schema: unknown): string =>
  JSON.stringify([...JSON.stringify(schema).matchAll(/"([pq])":/g)].map(([, name]) => name));

test('whatever fitted and fits no more is told as breaking, and so is what is given beyond what was said', () => {
  let decided = 0;
  fc.assert(
    fc.property(
      schemas,
      schemas,
      fc.array(someValues, { minLength: 8, maxLength: 8 }),
      (before, after, values) => {
        fc.pre(declared(before) === declared(after));
        for (const direction of ['input', 'output'] as const) {
          const [from, to] = direction === 'input' ? [before, after] : [after, before];
          const lost = values.filter((value) => {
            const [was, is] = [fits(from, value), fits(to, value)];
            return 'valid' in was && was.valid && 'valid' in is && !is.valid;
          });
          if (lost.length === 0) continue;
          decided++;
          expect(schemasApart(direction, before, after).join('\n')).toMatch(/^breaking/m);
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(decided).toBeGreaterThan(50);
});
