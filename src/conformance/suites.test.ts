import { describe, expect, test } from 'vitest';
import { gradeApps, interfaceOf, type Read, toolsWithInterface } from './apps.ts';
import { groupOf, type ScenarioResult } from './grade-protocol.ts';
import { outcomeOfGroups } from './report.ts';
import { notApplicable, type Scenario } from './scenarios.ts';
import { declaredTasks, gradeTasks, type TaskAnswers } from './tasks.ts';

const failedIn = (groups: ReturnType<typeof gradeApps>): string[] =>
  groups.flatMap(({ cases }) => cases.filter(({ status }) => status === 'failed').map(({ id }) => id));

describe('what the official suite wrote down', () => {
  const scenario: Scenario = { id: 's', title: 'S', section: 'basic' };
  const graded = (checks: unknown, refusedCalls = false) =>
    groupOf(scenario, { kind: 'checks', checks, durationMs: 1, refusedCalls }, (text) =>
      text.replaceAll('key', '-'),
    );
  const one = (status: string, more: object = {}) => ({
    id: 'c',
    description: 'd',
    status,
    timestamp: '',
    ...more,
  });

  test.each<[string, object, object]>([
    ['SUCCESS', {}, { status: 'passed' }],
    ['FAILURE', { errorMessage: 'a key' }, { status: 'failed', error: 'a -' }],
    ['WARNING', { errorMessage: 'w' }, { status: 'failed', pending: true }],
    ['SKIPPED', { errorMessage: 'why' }, { status: 'skipped', skipReason: 'why', couldNotRun: false }],
    ['FAILURE', { errorMessage: 'lacks it', details: { untestable: true } }, { status: 'skipped' }],
    ['SUCCESS', { id: 'sep-2243-header-name-case-insensitive' }, { status: 'skipped' }],
    ['SUCCESS', { id: 'wire-schema-valid', details: { messagesValidated: 0 } }, { status: 'skipped' }],
    ['WARNING', { id: 'sep-2575-server-sends-tools-list-changed-on-subscription' }, { status: 'skipped' }],
  ])('%s with %j is a check that says %j', (status, more, expected) => {
    expect(graded([one(status, more), one('INFO')]).cases).toMatchObject([expected]);
  });

  test('a call that was kept from the server is no failure of the server', () => {
    const call = one('FAILURE', { description: 'Server rejects tools/call where Mcp-Name does not match' });
    expect(graded([call], true).cases).toMatchObject([{ status: 'skipped', couldNotRun: false }]);
    expect(graded([call]).cases).toMatchObject([{ status: 'failed' }]);
  });

  test.each<[string, ScenarioResult]>([
    ['nothing', { kind: 'checks', checks: [], durationMs: 1, refusedCalls: false }],
    ['no list', { kind: 'checks', checks: { a: 1 }, durationMs: 1, refusedCalls: false }],
    [
      'too much',
      {
        kind: 'checks',
        checks: Array.from({ length: 501 }, () => one('SUCCESS')),
        durationMs: 1,
        refusedCalls: false,
      },
    ],
    ['a process that was ended', { kind: 'broken', reason: 'Timed out after 60 s', durationMs: 1 }],
  ])('%s leaves the suite incomplete', (_, result) => {
    expect(outcomeOfGroups([groupOf(scenario, result, (text) => text)])).toBe('incomplete');
  });

  test('what is not declared is skipped, and the suite is complete', () => {
    const reason = notApplicable(
      { ...scenario, capability: 'prompts' },
      { capabilities: { tools: {} }, onLoopback: true },
    );
    expect(reason).toContain('prompts');
    const group = groupOf(scenario, { kind: 'skipped', reason: reason as string }, (text) => text);
    expect(outcomeOfGroups([group])).toBe('passed');
    expect(
      notApplicable({ ...scenario, loopbackOnly: true }, { capabilities: {}, onLoopback: false }),
    ).toBeDefined();
  });
});

describe('interfaces of tools', () => {
  const uri = 'ui://a/b';
  const html = { uri, mimeType: 'text/html;profile=mcp-app', text: '<p>' };
  const grade = (meta: object, content: object = html, read?: Read): string[] => {
    const tools = toolsWithInterface([{ name: 't', _meta: meta }]);
    const told = read ?? { result: { contents: [content] } };
    return failedIn(
      gradeApps(tools, new Map(tools.flatMap((tool) => [[interfaceOf(tool) ?? '', told] as const])), 0),
    );
  };
  const ui = (more: object = {}) => ({ ui: { resourceUri: uri, ...more } });

  test.each<[string, string[], object, object?, Read?]>([
    ['all is well', [], ui({ visibility: ['model', 'app'] })],
    ['for interfaces only', [], { ui: { visibility: ['app'] } }],
    ['both keys agree', [], { ...ui(), 'ui/resourceUri': uri }],
    ['they disagree', ['apps-flat-key'], { ...ui(), 'ui/resourceUri': 'ui://c' }],
    ['unknown visibility', ['apps-visibility'], ui({ visibility: ['everyone'] })],
    ['visibility is a text', ['apps-visibility'], ui({ visibility: 'app' })],
    ['ui is a text', ['apps-ui-shape'], { ui: 'ui://a' }],
    ['another scheme', ['apps-uri'], { ui: { resourceUri: 'https://a' } }],
    ['no text', ['apps-uri'], { ui: { resourceUri: 4 } }],
    ['it cannot be read', ['apps-readable'], ui(), html, { problem: 'No such resource' }],
    ['empty contents', ['apps-readable', 'apps-mime-type'], ui(), {}],
    ['another mime type', ['apps-mime-type'], ui(), { ...html, mimeType: 'text/html' }],
    ['spaces in the mime type', [], ui(), { ...html, mimeType: 'text/html; profile=mcp-app' }],
    [
      'origins in the policy',
      [],
      ui(),
      { ...html, _meta: { ui: { csp: { connectDomains: ['https://a.example', '*.b.example'] } } } },
    ],
    [
      'a directive in the policy',
      ['apps-csp'],
      ui(),
      { ...html, _meta: { ui: { csp: { connectDomains: ["a; script-src 'x'"] } } } },
    ],
    ['a policy that is a text', ['apps-csp'], ui(), { ...html, _meta: { ui: { csp: 'none' } } }],
  ])('%s: %j', (_, expected, meta, content, read) => {
    expect(grade(meta, content, read)).toEqual(expected);
  });

  test('a server without any is skipped, and one with too many is not whole', () => {
    expect(outcomeOfGroups(gradeApps([], new Map(), 0))).toBe('passed');
    expect(
      outcomeOfGroups(gradeApps(toolsWithInterface([{ name: 't', _meta: { ui: {} } }]), new Map(), 3)),
    ).toBe('incomplete');
  });
});

describe('tasks', () => {
  const refused = { error: { code: -32602, message: 'No such task' } };
  const grade = (capabilities: Record<string, unknown>, asked: Partial<TaskAnswers> = {}): string[] =>
    failedIn(gradeTasks(declaredTasks(capabilities), { unknown: refused, ...asked }));

  test.each<[string, string[], Record<string, unknown>, Partial<TaskAnswers>?]>([
    ['not declared', [], {}],
    [
      'declared',
      [],
      { tasks: { list: {}, cancel: {} } },
      {
        pages: [
          { result: { tasks: [], nextCursor: 'x' } },
          { result: { tasks: [{ taskId: 'a', status: 'working' }] } },
        ],
      },
    ],
    ['as an extension', [], { extensions: { 'io.modelcontextprotocol/tasks': {} } }],
    ['not as an object', ['tasks-declared'], { tasks: true }],
    ['with a part that is none', ['tasks-declared-cancel'], { tasks: { cancel: true } }],
    ['a page without tasks', ['tasks-list'], { tasks: { list: {} } }, { pages: [{ result: {} }] }],
    [
      'a cursor that is no text',
      ['tasks-list'],
      { tasks: { list: {} } },
      { pages: [{ result: { tasks: [], nextCursor: 4 } }] },
    ],
    ['an error instead of a page', ['tasks-list'], { tasks: { list: {} } }, { pages: [refused] }],
    ['an unknown task is there', ['tasks-unknown-id'], { tasks: {} }, { unknown: { result: {} } }],
    [
      'another error',
      ['tasks-unknown-id'],
      { tasks: {} },
      { unknown: { error: { code: -32603, message: 'x' } } },
    ],
  ])('%s: %j', (_, expected, capabilities, asked) => {
    expect(grade(capabilities, asked)).toEqual(expected);
  });
});
