import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientTemplates } from '../src/domain/clients/templates.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let answer: Answer;
let project: string;

beforeAll(async () => {
  service = await startTestService();
  answer = await service.get('/host-catalog', { key: null });
  project = `/projects/${await service.defaultProject()}`;
});
afterAll(() => dispose(service));

test('anyone reads the catalog', () => {
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    schemaVersion: 2,
    source: 'bundled',
    contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(Object.keys(answer.body.catalog.hostsById)).toEqual(clientTemplates.map(({ id }) => id));
});

test.each(clientTemplates.map(({ id }) => id))(
  'a client made from %s is what the catalog says',
  async (id) => {
    const { label, about, provenance, rendersMcpApps, supportedProtocolVersions, ...entry } =
      answer.body.catalog.hostsById[id];
    expect([label, about]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    expect(provenance).toBe('assumed');
    const { config } = (await service.post(`${project}/clients`, { name: id, template: id })).body;
    expect({ ...entry, schemaVersion: 2 }).toEqual({ ...config, id });
    expect(config.mcpProfile.initialize.supportedProtocolVersions).toEqual(supportedProtocolVersions);
    expect(entry).toMatchObject({
      requireToolApproval: false,
      respectToolVisibility: expect.any(Boolean),
      serverIds: [],
      optionalServerIds: [],
      builtInToolIds: [],
      connectionDefaults: { headers: {}, requestTimeout: 10_000 },
      systemPrompt: expect.any(String),
    });
    const ui = { mimeTypes: ['text/html;profile=mcp-app'] };
    expect(entry.clientCapabilities.extensions?.['io.modelcontextprotocol/ui']).toEqual(
      rendersMcpApps ? ui : undefined,
    );
    expect(Object.keys(entry.hostContext).sort()).toEqual(
      rendersMcpApps ? ['availableDisplayModes', 'displayMode', 'platform', 'theme'] : ['theme'],
    );
  },
);

test('which clients render apps, and which also those of OpenAI', () => {
  const entries = Object.values(answer.body.catalog.hostsById) as {
    id: string;
    rendersMcpApps: boolean;
    mcpProfile: { apps?: { compatRuntime: { openaiApps: boolean } } };
  }[];
  const ids = (of: typeof entries) => of.map(({ id }) => id);
  expect(ids(entries.filter(({ rendersMcpApps }) => rendersMcpApps))).toEqual([
    'mcpjam',
    'claude',
    'chatgpt',
    'goose',
    'cursor',
    'codex',
    'copilot',
    'vscode',
  ]);
  expect(ids(entries.filter(({ mcpProfile }) => mcpProfile.apps?.compatRuntime.openaiApps))).toEqual([
    'mcpjam',
    'chatgpt',
    'codex',
    'copilot',
  ]);
});
