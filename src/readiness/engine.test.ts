import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import { unknown } from './evidence.ts';
import { checksOf, evaluate, toolFacts } from './index.ts';

const nothing = unknown('not looked at', 'a look');
/** A server of which only the address is known. */
const unseen: Evidence = {
  endpoint: {
    url: 'https://ready.example/mcp',
    secure: true,
    host: 'ready.example',
    credentials: [],
    tunnel: false,
  },
  redirects: nothing,
  challenge: nothing,
  resourceMetadata: nothing,
  authorizationServer: nothing,
  foreignOrigin: nothing,
  session: nothing,
  tools: nothing,
  resources: nothing,
  prompts: nothing,
  ui: nothing,
  importsSkills: true,
  skills: nothing,
  domainChallenge: nothing,
  baseline: nothing,
  registration: nothing,
  calls: nothing,
  declared: {},
};
const everything = ['mcp-session', 'oauth-discovery', 'side-effects', 'declared-inputs'];

test.each(['claude', 'openai'] as const)(
  'without evidence no check of %s is satisfied, but those that read the address',
  (kind) => {
    const findings = evaluate(checksOf[kind], unseen, everything, 0);
    const said = findings.filter(({ status }) => status !== 'not-evaluated');
    expect(said.every(({ provenance, status }) => provenance === 'static' && status === 'satisfied')).toBe(
      true,
    );
    const silent = findings.filter(({ status }) => status === 'not-evaluated');
    expect(silent.filter(({ missingInputs = [] }) => missingInputs.length === 0)).toEqual([]);
  },
);

test.each(['claude', 'openai'] as const)('every check of %s is where its id says', (kind) => {
  const ids = checksOf[kind].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, remediation, source, lane, provenance, class: weight } of checksOf[kind]) {
    expect(id).toMatch(new RegExp(`^${kind}\\.[a-z]+\\.[a-z\\d-]+$`));
    expect(remediation).toMatch(/\.$/);
    expect(source.page).not.toBe('');
    expect(source.section).not.toBe('');
    const decides = weight === 'required' || weight === 'runtime-blocker';
    // Manual reviews and experience insights never decide the verdict.
    expect(decides && (provenance === 'manual' || lane === 'experience-insights')).toBe(false);
  }
});

test('a check whose means are missing is not evaluated, whatever the evidence', () => {
  const findings = evaluate(checksOf.claude, unseen, [], 0).filter((one) => one.requiresCapabilities);
  expect(findings.length).toBeGreaterThan(5);
  for (const { status, missingInputs, requiresCapabilities } of findings)
    expect({ status, missingInputs }).toEqual({
      status: 'not-evaluated',
      missingInputs: requiresCapabilities,
    });
});

test('whatever a server lists as a tool is read within bounds', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue(), (schema, other) => {
      const facts = toolFacts({ name: other, inputSchema: schema, annotations: other, _meta: schema });
      expect(facts.parameters.length).toBeLessThanOrEqual(200);
      expect(JSON.stringify(facts).length).toBeLessThan(200_000);
    }),
  );
});

test('a schema of any depth is read to its fourth level', () => {
  let deep: object = { type: 'object' };
  for (let level = 0; level < 20_000; level++) deep = { type: 'object', properties: { a: deep } };
  const { parameters } = toolFacts({ name: 'deep', inputSchema: deep });
  expect(parameters.map(({ name }) => name)).toEqual(['a', 'a.a', 'a.a.a', 'a.a.a.a']);
});
