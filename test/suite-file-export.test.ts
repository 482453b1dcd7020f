import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { newId } from '../src/platform/ids.ts';
import { authoring, type EvalsWorld, prompt } from './support/eval-authoring.ts';
import type { Answer, TestService } from './support/service.ts';
import { putFile, suiteFile } from './support/suite-files.ts';

let service: TestService;
let world: EvalsWorld;

authoring((parts) => void ({ service, world } = parts));

const put = (text: string | object, id?: string): Promise<Answer> => putFile(world, text, id);
const exported = (suiteId: string, query = ''): Promise<Answer> =>
  service.get(world.at(suiteId, `/file${query}`));

/** The content of a suite without the fields that depend on where it is stored. */
async function contentOf(suiteId: string): Promise<object> {
  const ofPlace = /^(id|managedBy|sourceHash|revisionNumber|schedule|createdAt|updatedAt)$/;
  const own = (given: object): object =>
    Object.fromEntries(Object.entries(given).filter(([field]) => !ofPlace.test(field)));
  const { declaredId: _, ...suite } = await world.read(suiteId);
  return { ...own(suite), cases: (await world.cases(suiteId)).map((one: object) => own(one)) };
}

const target = { css: '#a', nth: 1 };
const steps = [
  prompt('Say it: "yes"\n# no comment\n- no list\n\ttab'),
  {
    id: '2',
    kind: 'toolCall',
    serverName: 'harbour',
    toolName: 'list_ships',
    arguments: { a: [1, null, { b: '~' }] },
    renderTimeoutMs: 5,
  },
  {
    id: '3',
    kind: 'interact',
    toolName: 'list_ships',
    action: { kind: 'click', target, clickType: 'double' },
  },
  {
    id: '4',
    kind: 'interact',
    toolName: 'list_ships',
    action: { kind: 'type', target: { role: { role: 'b', name: 'n', exact: true } }, text: '' },
  },
  { id: '5', kind: 'interact', toolName: 'list_ships', action: { kind: 'key', key: 'Enter' } },
  {
    id: '6',
    kind: 'interact',
    toolName: 'list_ships',
    action: { kind: 'scroll', direction: 'up', amount: 2 },
  },
  { id: '7', kind: 'interact', toolName: 'list_ships', action: { kind: 'wait', ms: 0 } },
  { id: '8', kind: 'assert', assertion: { type: 'noToolErrors' } },
  { id: '9', kind: 'assert', assertion: { type: 'responseMatches', pattern: '^\\d+: "x"$', role: 'gating' } },
  { id: '10', kind: 'assert', assertion: { kind: 'textVisible', toolName: 'list_ships', text: 'null' } },
  { id: '11', kind: 'assert', assertion: { kind: 'elementHidden', toolName: 'list_ships', target } },
  { id: '12', kind: 'assert', assertion: { kind: 'inputValue', toolName: 'list_ships', target, equals: '' } },
  {
    id: '13',
    kind: 'assert',
    assertion: { kind: 'widgetToolCalled', toolName: 'list_ships', calledToolName: 'x' },
  },
];
const list = [
  {
    type: 'toolResultMatchesSchema',
    schema: { type: 'object', required: ['a'] },
    role: 'advisory',
    severity: 'warn',
  },
  {
    type: 'toolCalledWith',
    toolName: 'list_ships',
    args: { args: { yes: 'no' }, argumentMatching: 'exact' },
    role: 'gating',
  },
];
const source = {
  format: 'markdown',
  method: 'ai',
  fileName: 'a.md',
  fileHash: 'b'.repeat(64),
  excerpt: '  indented\r\n',
  startLine: 1,
  endLine: 2,
  extractorVersion: '1',
};
/** Each case sets something that the others do not. */
const cases: object[] = [
  { steps },
  { checks: { mode: 'replace', list } },
  { checks: { mode: 'extend', list } },
  { checks: { mode: 'inherit', list } },
  { checks: { mode: 'replace', list: [] } },
  { isNegative: true, scenario: 'At night', intent: 'list', kind: 'capability', expectedOutput: 'A list\n' },
  { models: [{ model: 'drydock/rehearsal' }] },
  { models: [{ model: 'a', provider: 'custom' }] },
  { models: [{ model: 'a' }, { model: 'b', provider: 'custom' }] },
  { matchOptions: { toolCallOrder: 'in-order', extraToolCalls: 3, arguments: 'ignore' } },
  { matchOptions: { maxExtraToolCalls: null } },
  { matchOptions: {} },
  { judge: { enabled: false } },
  { judge: {} },
  { source },
  { import: { status: 'approximated', note: 'Nearly' } },
  { suppressedSuiteStandardCheckIds: ['call.schema', 'selection.hops'] },
  { expectedOutput: '' },
];

describe('an export', () => {
  test.each(['1', '2'])('in version %s, synced, is an equal suite', async (schemaVersion) => {
    const client = await world.client();
    const suiteId = await world.suite({
      name: 'yes',
      description: 'Line one\nline two: #3',
      systemPrompt: ' - be brief',
      temperature: 0.25,
      repetitions: 4,
      passThreshold: 0.75,
      hosts: [{ host: client, servers: [world.server.id] }],
      tests: [{ title: 'Tolerant', steps: [prompt()], advancedConfig: { failOnToolError: false } }],
    });
    await world.settings(suiteId, {
      checks: list,
      validity: { minCompletionRate: 0.5 },
      qualityGate: { noGatingScoreErrors: true, baseline: { kind: 'commit_sha', commitSha: 'abc' } },
      matchOptions: { toolCallOrder: 'exact' },
      judge: { threshold: 0.9, severity: 'warn', rubric: { criteria: [{ id: 'a', label: 'A' }] } },
    });
    for (const [at, one] of [...cases, { repetitions: 7, passThreshold: 0.1 }].entries()) {
      const fields = { title: `Case ${at}`, id: `case-${at}`, ...one };
      expect(await world.addCase(suiteId, fields)).toMatchObject({ status: 201 });
    }
    const before = await contentOf(suiteId);
    for (const format of ['yaml', 'json']) {
      const answer = await exported(suiteId, `?format=${format}&schemaVersion=${schemaVersion}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain(format);
      const written = parse(answer.text);
      expect(written).toMatchObject({ schemaVersion, suite: { id: suiteId } });
      expect(written.notes).toBeUndefined();
      const synced = await put(answer.text, suiteId);
      expect(synced.body).toMatchObject({ cases: {} });
      expect(await contentOf(synced.body.suite.id)).toEqual(before);
      // A file exported from the copy changes nothing either.
      const copy = await exported(synced.body.suite.id, `?format=${format}`);
      expect((await put(copy.text, suiteId)).body).toMatchObject({ unchanged: true });
    }
  });

  test('keeps what belongs to the file', async () => {
    const provenance = { sourceHash: 'a'.repeat(64), sourceFormat: 'x', reportHash: 'b'.repeat(64) };
    const [first, second] = suiteFile().cases;
    const environmentId = await world.environment({ name: 'Staging' });
    const { body } = await put(
      suiteFile({
        provenance,
        target: { environment: 'staging' },
        cases: [first, { ...second, disabled: true, import: { status: 'exact', note: 'Is it' } }],
      }),
    );
    expect(body.suite.environmentIds).toEqual([environmentId]);
    const { text } = await exported(body.suite.id);
    expect(parse(text)).toMatchObject({
      suite: { id: 'ships' },
      provenance,
      target: { environment: 'Staging' },
      cases: [{}, { disabled: true, import: { status: 'exact' } }],
    });
    expect((await put(text)).body).toMatchObject({ unchanged: true });
  });

  test('says what it does not carry', async () => {
    const suiteId = await world.suite({
      passCriteria: { minimumPassRatePercent: 80 },
      tests: [{ title: 'Often', steps: [prompt()], runs: 3 }],
    });
    await world.patch(suiteId, { environmentIds: [await world.environment(), await world.environment()] });
    const { text } = await exported(suiteId);
    const { notes, defaults, cases: written } = parse(text);
    expect(notes).toEqual([
      expect.stringContaining('one environment'),
      expect.stringContaining('one rate over all trials, 80%'),
    ]);
    expect(defaults).toMatchObject({ iterations: 1, passThreshold: 0.8 });
    expect(written[0]).toMatchObject({ iterations: 3 });
    expect(await put(text, suiteId)).toMatchObject({ status: 201 });
  });

  test('of a suite that cannot be a file says why', async () => {
    const report = { suiteName: 'reported', results: [{ caseTitle: 'a', passed: true }] };
    await service.post(`${world.project}/eval-ingest/report`, report);
    const { items } = (await service.get(`${world.project}/eval-suites`)).body;
    const answer = await exported(items[0].id);
    expect(answer).toMatchObject({ status: 409, body: { details: { reason: 'NOT_A_SUITE_FILE' } } });
    expect(await exported(newId('suite'))).toMatchObject({ status: 404 });
  });
});
