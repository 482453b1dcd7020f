import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ClientConfig, canonicalConfig, configIdOf } from './config.ts';
import { configFromTemplate } from './from-template.ts';
import { clientTemplates } from './templates.ts';

const idOf = (config: ClientConfig): string => configIdOf(canonicalConfig(config));

const ids = fc.array(fc.constantFrom('srv_a', 'srv_b', 'srv_c', 'srv_d'), { maxLength: 5 });
const nested = fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 4,
});

const settings = fc.record(
  {
    modelId: fc.constantFrom('anthropic/claude-haiku-4.5', 'openai/gpt-5-nano'),
    systemPrompt: fc.string({ maxLength: 20 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    requireToolApproval: fc.boolean(),
    serverIds: ids,
    optionalServerIds: ids,
    connectionDefaults: fc.record({
      headers: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.string({ maxLength: 5 })),
      requestTimeout: fc.integer({ min: 1, max: 60_000 }),
    }),
    clientCapabilities: nested,
    hostContext: nested,
    respectToolVisibility: fc.boolean(),
    progressiveToolDiscovery: fc.boolean(),
    builtInToolIds: ids,
    skillSelection: fc.oneof(
      fc.constant({ mode: 'all-visible' }),
      fc.record({ mode: fc.constant('explicit'), skillIds: ids }),
    ),
    mcpProfile: nested,
  },
  { requiredKeys: ['modelId'] },
);

const defaults: ClientConfig = {
  hostStyle: 'drydock',
  systemPrompt: '',
  temperature: 0.7,
  requireToolApproval: false,
  serverIds: [],
  optionalServerIds: [],
  connectionDefaults: { headers: {}, requestTimeout: 10_000 },
  clientCapabilities: {},
  hostContext: {},
  skillSelection: { mode: 'all-visible' },
};

/** Explicit values equal to the meaning of an absent field. */
const spokenOut: ClientConfig = {
  respectToolVisibility: true,
  progressiveToolDiscovery: false,
  builtInToolIds: [],
  serverConnectionOverrides: {},
};

/** The value with the keys of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

describe('the id of a configuration', () => {
  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(settings, (config) => {
        expect(idOf(reversed(config) as ClientConfig)).toBe(idOf(config));
      }),
    );
  });

  test('does not depend on whether a default is written', () => {
    fc.assert(
      fc.property(settings, (config) => {
        expect(idOf({ ...defaults, ...config })).toBe(idOf(config));
      }),
    );
  });

  test('does not depend on null or undefined standing for nothing', () => {
    const nothing = { harness: null, computer: undefined, mcpProfile: null };
    fc.assert(
      fc.property(settings, (config) => {
        expect(idOf({ ...nothing, ...config })).toBe(idOf(config));
      }),
    );
  });

  test('does not depend on how numbers are spelled', () => {
    const spelled = (number: string): string =>
      idOf(JSON.parse(`{"modelId":"m","temperature":${number}}`) as ClientConfig);
    expect(new Set(['1', '1.0', '1e0', '10e-1', '0.1e1'].map(spelled)).size).toBe(1);
    expect(spelled('-0')).toBe(spelled('0'));
  });

  test('does not depend on the order or number of ids', () => {
    fc.assert(
      fc.property(settings, ids, (config, serverIds) => {
        const doubled = [...serverIds, ...serverIds].reverse();
        expect(idOf({ ...config, serverIds: doubled })).toBe(idOf({ ...config, serverIds }));
      }),
    );
  });

  test('tells a field that is written from one that is absent, whatever it says', () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(...Object.keys(spokenOut)), (config, name) => {
        const { [name]: _, ...without } = config as ClientConfig;
        const written = { ...without, [name]: spokenOut[name] };
        expect(canonicalConfig(written)[name]).toEqual(spokenOut[name]);
        expect(canonicalConfig(without)).not.toHaveProperty(name);
        expect(idOf(written)).not.toBe(idOf(without));
      }),
    );
  });

  test('is the same for what was read back', () => {
    fc.assert(
      fc.property(settings, (config) => {
        const read = JSON.parse(JSON.stringify(canonicalConfig(config))) as ClientConfig;
        expect(idOf({ ...read, id: 'x' })).toBe(idOf(config));
      }),
    );
  });

  test('differs for different settings', () => {
    fc.assert(
      fc.property(settings, settings, (one, other) => {
        const same = JSON.stringify(canonicalConfig(one)) === JSON.stringify(canonicalConfig(other));
        expect(idOf(one) === idOf(other)).toBe(same);
      }),
    );
    expect(idOf({ modelId: 'm', temperature: 0.7 })).not.toBe(idOf({ modelId: 'm', temperature: 0.71 }));
    expect(idOf({ modelId: 'm', unknown: 1 })).not.toBe(idOf({ modelId: 'm' }));
  });
});

test('a server is required or optional, not both, and nothing is said about others', () => {
  const config = canonicalConfig({
    modelId: 'm',
    serverIds: ['b', 'a'],
    optionalServerIds: ['a', 'c'],
    serverConnectionOverrides: { a: { headers: {} }, z: { headers: {} } },
  });
  expect(config).toMatchObject({
    serverIds: ['a', 'b'],
    optionalServerIds: ['c'],
    serverConnectionOverrides: { a: { headers: {} } },
  });
  expect(config['serverConnectionOverrides']).not.toHaveProperty('z');
});

test('a selection of everything is none', () => {
  expect(canonicalConfig({ modelId: 'm', skillSelection: { mode: 'all-visible' } })).not.toHaveProperty(
    'skillSelection',
  );
});

const initialize = { clientInfo: { name: 'x' } };
test.each([
  [{ mcpProtocolVersion: '2025-06-18' }, { supportedProtocolVersions: ['2025-06-18'] }],
  [
    { mcpProtocolVersion: '2025-06-18', initialize },
    { ...initialize, supportedProtocolVersions: ['2025-06-18'] },
  ],
  [{ mcpProtocolVersion: 'auto', initialize }, initialize],
  [
    { mcpProtocolVersion: 'b', initialize: { supportedProtocolVersions: ['b', 'a'] } },
    { supportedProtocolVersions: ['b', 'a'] },
  ],
])('the profile %j initializes with %j', (mcpProfile, expected) => {
  expect(canonicalConfig({ modelId: 'm', mcpProfile })['mcpProfile']).toEqual({
    ...mcpProfile,
    initialize: expected,
  });
});

test.each(clientTemplates.map(({ id }) => id))(
  'the template %s makes a complete configuration',
  (template) => {
    const config = configFromTemplate(template);
    expect(config).toMatchObject({
      schemaVersion: 2,
      hostStyle: template,
      hostContext: { theme: 'dark' },
      mcpProfile: {
        initialize: {
          clientInfo: { name: expect.stringMatching(/./), version: expect.stringMatching(/./) },
          supportedProtocolVersions: expect.arrayContaining([expect.stringMatching(/^20\d\d-\d\d-\d\d$/)]),
        },
      },
    });
    expect(idOf(config)).toBe(configIdOf(config));
    expect(configIdOf(configFromTemplate(template, 'light'))).not.toBe(configIdOf(config));
  },
);
