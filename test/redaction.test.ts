// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import { type SavedServer, saveServer } from './support/live.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { type Exchange, sendResult } from './targets/legacy.ts';
import { listen, readRpc } from './targets/listen.ts';

/** A server that repeats what it was sent, everywhere in its answers, and in one form or another. */

const secret = 'tide-"7/9+fog of-the_harbour';
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const forms: Record<string, (sent: string) => string> = {
  'as it is': (sent) => sent,
  'inside of JSON': (sent) => JSON.stringify({ sent }),
  'in JSON in JSON': (sent) => JSON.stringify(JSON.stringify({ sent })),
  'in a URL': (sent) => `https://example.com/?k=${encodeURIComponent(sent)}`,
  'in a page': (sent) => sent.replaceAll('"', '&quot;'),
  'in base64': (sent) => latin(sent).toString('base64'),
  'in base64, behind something': (sent) => latin(`user:${sent}`).toString('base64'),
  'in base64url': (sent) => latin(`u:${sent}`).toString('base64url'),
  'in hex': (sent) => latin(sent).toString('hex'),
  'in capital hex': (sent) => `0x${latin(sent).toString('hex').toUpperCase()}`,
  'with its letters escaped': (sent) =>
    Array.from(sent, (one) => `\\u00${latin(one).toString('hex')}`).join(''),
  'at the end of a long text': (sent) => `${'tide 7 9 fog of the harbour '.repeat(4_000)}${sent}`,
};

let service: TestService;
let target: Awaited<ReturnType<typeof listen>>;
let member: string;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  target = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    const form = forms[decodeURIComponent(new URL(request.url ?? '', 'http://a').pathname.slice(1))];
    const said = form?.(String(request.headers['x-key'])) ?? '';
    answer({ request, response, rpc, path: '', origin: '' }, said);
  });
  ({ key: member } = await service.member('member'));
});
afterAll(async () => {
  await target?.stop();
  await dispose(service);
});

/** Answers any request with the secret in every text. */
function answer(exchange: Exchange, said: string): void {
  const { rpc, response } = exchange;
  if (rpc?.id === undefined) return void response.writeHead(202).end();
  const about = { name: 'leak', title: said, description: said, _meta: { said, list: [said] } };
  const uri = 'leak://one';
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {}, prompts: {}, resources: {}, experimental: { [said.slice(0, 200)]: {} } },
      serverInfo: { name: 'leak', version: '1', title: said },
      instructions: said,
    },
    'tools/list': { tools: [{ ...about, inputSchema: { type: 'object', description: said } }] },
    'prompts/list': { prompts: [about] },
    'resources/list': { resources: [{ ...about, uri }] },
    'resources/templates/list': { resourceTemplates: [] },
    'resources/read': { contents: [{ uri, text: said, mimeType: 'application/json' }] },
    'prompts/get': { description: said, messages: [{ role: 'user', content: { type: 'text', text: said } }] },
    'tools/call': {
      content: [
        { type: 'text', text: said },
        { type: 'text', text: 'plain' },
      ],
      structuredContent: { [said.slice(-200)]: 1, said },
    },
  };
  const result = results[rpc.method];
  if (result) sendResult(exchange, result);
  else {
    const error = { code: -32601, message: `No method: ${said}`, data: { said } };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, error }));
  }
}

/** Every operation that asks a saved server something and answers with it. */
const operations: Record<string, object> = {
  checkOAuth: {},
  runDoctor: {},
  watchDoctor: {},
  validateServer: {},
  callTool: { toolName: 'leak', parameters: {}, includeFrames: true },
  getPrompt: { promptName: 'leak' },
  listPrompts: {},
  listResources: {},
  listTools: {},
  readResource: { uri: 'leak://one' },
  renderServerWidget: { toolName: 'leak' },
  listServerSkills: {},
  getServerSkill: { uri: 'skill://acme/refunds/SKILL.md' },
  readServerSkillFile: { skillUri: 'skill://a/b/SKILL.md', resourceUri: 'skill://a/b/c.md' },
  exportServer: {},
  checkServerContract: { baseline: { tools: [{ name: 'another' }] } },
};
/** They answer with an ID; what they find is read elsewhere. */
const later = [
  'startConformanceRun',
  'startClaudeReadinessRun',
  'startOpenAIReadinessRun',
  'importOAuthTokens',
];
const live = operationList.filter(
  ({ path, method, alias }) => method === 'POST' && path.includes('/servers/{serverId}/') && !alias,
);

test('every operation that talks to a saved server is among them', () => {
  expect(live.map(({ id }) => id).toSorted()).toEqual([...Object.keys(operations), ...later].toSorted());
});

const save = (form: string): Promise<SavedServer> =>
  saveServer(service, {
    url: `http://127.0.0.1:${target.port}/${encodeURIComponent(form)}`,
    headers: { 'X-Key': secret, Accept: 'application/json' },
  });

describe.each(Object.entries(forms))('a stored header that a server repeats %s', (form, written) => {
  test('reaches no member, by no operation', async () => {
    const server = await save(form);
    const answers = live
      .filter(({ id }) => id in operations)
      .map(async ({ id, path }) => {
        const at = path.replace('/projects/{projectId}/servers/{serverId}', server.path);
        const { text, status } = await service.post(at, operations[id], { key: member });
        expect(status).not.toBe(500);
        return { id, leaks: holds(text, written(secret)) };
      });
    const leaked = (await Promise.all(answers)).flatMap(({ id, leaks }) => (leaks ? [id] : []));
    expect(leaked).toEqual([]);
    const call = (await server.post('tools/call', operations['callTool'])).body;
    expect(call.content[0].text).toContain('[hidden]');
    expect(call.content[1]).toEqual({ type: 'text', text: 'plain' });
    expect(JSON.stringify(call.frames)).toContain('[hidden]');
  });
});

/** The whole of it, or what is left of it beside what hides nothing, in any number of quotes. */
function holds(text: string, written: string): boolean {
  const tail = written.slice(-20);
  let escaped = tail;
  for (let layer = 0; layer < 4; layer++) {
    if (text.includes(escaped)) return true;
    escaped = JSON.stringify(escaped).slice(1, -1);
  }
  return false;
}

test('what a server says besides stays as it is, whatever headers say what is understood', async () => {
  const server = await save('as it is');
  const { body } = await server.post('resources/read', { uri: 'leak://one' });
  expect(body.contents[0]).toMatchObject({ mimeType: 'application/json', text: '[hidden]' });
});
