// @module-tag long
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saveServer } from './support/live.ts';
import { assess, declared, ended, saveListable, start, startWithListable } from './support/readiness.ts';
import { dispose, type TestService } from './support/service.ts';
import { goodTool, type Listable, token } from './targets/listable.ts';

let service: TestService;
let target: Listable;
beforeAll(async () => {
  ({ service, target } = await startWithListable());
});
afterAll(async () => {
  await dispose(service);
  await target.stop();
});

describe('what is looked at', () => {
  test('leaves no traces unless that is allowed', async () => {
    target.asked.length = 0;
    const careful = await assess({ service, target }, 'claude');
    expect(target.asked.filter((one) => /register|tools\/call/.test(one))).toEqual([]);
    expect(careful.status('claude.intrusive.tools-answer')).toBe('not-evaluated');
    const tools = [goodTool, { ...goodTool, name: 'scuttle', annotations: { destructiveHint: true } }];
    const allowed = await assess({ service, target }, 'claude', {
      behaviour: { tools },
      allowSideEffects: true,
    });
    expect(target.asked.filter((one) => /register|tools\/call/.test(one))).toEqual([
      'POST /register',
      'POST /mcp tools/call',
    ]);
    expect(allowed.status('claude.intrusive.dynamic-registration')).toBe('satisfied');
    expect(allowed.status('claude.intrusive.tools-answer')).toBe('satisfied');
    const closed = await assess({ service, target }, 'openai', {
      behaviour: { registers: false },
      allowSideEffects: true,
    });
    expect(closed.status('openai.auth.dynamic-registration')).toBe('violated');
  });

  test('without credentials is only what can be seen without', async () => {
    const server = await saveServer(service, { url: target.url });
    const { body } = await start(service, server, 'claude', { declared });
    const run = await ended(service, body.runId);
    expect(run).toMatchObject({ overallStatus: 'incomplete', authMode: 'headless' });
    const lane = run.lanes.find((one) => one.lane === 'runtime-compatibility');
    expect(lane).toMatchObject({ status: 'incomplete', missingInputs: ['credentials'] });
  });

  test('includes the skills, where they are submitted', async () => {
    const body = { submissionMode: 'mcp-imported-skills', declared };
    const without = await assess({ service, target }, 'openai', body);
    expect(without.deciding('violated')).toEqual(['openai.skills.listed']);
    const uri = 'skill://listable/moor/SKILL.md';
    const skill = {
      uri,
      frontmatter: { name: 'moor', description: 'How to moor.' },
      resources: [{ uri, digest: `sha256:${'0'.repeat(64)}` }],
    };
    const ready = await assess({ service, target }, 'openai', { ...body, behaviour: { skills: [skill] } });
    expect(ready.run.overallStatus).toBe('ready');
    expect(ready.run.stages[1]?.lanes).toContain('plugin-package');
    const unpacked = await assess({ service, target }, 'openai', {
      ...body,
      declared: { ...declared, pluginManifest: false },
      behaviour: { skills: [skill] },
    });
    expect(unpacked.deciding('violated')).toEqual(['openai.package.manifest']);
    const broken = { ...skill, frontmatter: { name: 'unmoor', description: '' } };
    const bad = await assess({ service, target }, 'openai', { ...body, behaviour: { skills: [broken] } });
    expect(bad.deciding('violated')).toEqual(['openai.skills.valid']);
  });

  test('is compared with the baseline, where one is saved', async () => {
    const server = await saveListable(service, target.url);
    const saved = await service.request('PUT', `${server.path}/contract-baseline`, { body: {} });
    expect(saved.status).toBeLessThan(300);
    const same = await ended(service, (await start(service, server, 'openai', { declared })).body.runId);
    expect(same).toMatchObject({ overallStatus: 'ready' });
    expect(same.stages[1]?.lanes).toContain('release-contract');
    target.behaviour = { ...target.good, tools: [goodTool, { ...goodTool, name: 'another' }] };
    const changed = await ended(service, (await start(service, server, 'openai', { declared })).body.runId);
    expect(changed.lanes.find((one) => one.lane === 'release-contract')).toMatchObject({
      status: 'not-ready',
    });
  });

  test('never shows what the server was told, also when it repeats that', async () => {
    const secret = 'query-secret-77aa';
    const echo = `${token} ${secret} Bearer ${token}`;
    const tools = [{ ...goodTool, name: `x ${token}`, description: '', annotations: {} }];
    const behaviour = {
      tools,
      interface: undefined,
      challenge: `Bearer resource_metadata="https://listable.example/${token}"`,
      methods: {
        'prompts/list': (_rpc: unknown, response: ServerResponse) => void response.writeHead(500).end(echo),
      },
    };
    const url = `${target.url}?api_key=${secret}`;
    const { report, run } = await assess({ service, target }, 'claude', {
      url,
      behaviour,
      allowSideEffects: true,
    });
    for (const text of [JSON.stringify(report), JSON.stringify(run), service.logs.join('\n')]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(secret);
    }
  });
});

describe('a server that means harm', () => {
  const huge = Array.from({ length: 2_001 }, (_, n) => ({ ...goodTool, name: `t${n}` }));
  test('with very many tools is not judged by some of them', async () => {
    const { status, report } = await assess({ service, target }, 'claude', { behaviour: { tools: huge } });
    expect(status('claude.tools.title-present')).toBe('not-evaluated');
    expect(JSON.stringify(report).length).toBeLessThan(200_000);
  });

  test('with pages that have no end is left', async () => {
    let pages = 0;
    const behaviour = {
      methods: {
        'tools/list': (rpc: { id?: unknown }, response: ServerResponse) => {
          const tools = Array.from({ length: 1_000 }, (_, n) => ({
            name: `t${pages}-${n}`,
            inputSchema: {},
          }));
          const result = { tools, nextCursor: String(pages++) };
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, result }));
        },
      },
    };
    const { status, run } = await assess({ service, target }, 'claude', { behaviour });
    expect(status('claude.tools.list-valid')).toBe('not-evaluated');
    expect(pages).toBeLessThan(100);
    expect(run.overallStatus).toBe('incomplete');
  });

  test('with a schema of a thousand levels is refused or read to a bound', async () => {
    let deep: object = { type: 'object' };
    for (let level = 0; level < 1_000; level++) deep = { type: 'object', properties: { a: deep } };
    const { run } = await assess({ service, target }, 'claude', {
      behaviour: { tools: [{ ...goodTool, inputSchema: deep }] },
    });
    expect(run.status).toBe('completed');
  });

  test('with documents that have no end is left', async () => {
    const pour = (response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const paths = {
      '/.well-known/openai-apps-challenge': pour,
      '/.well-known/oauth-protected-resource/mcp': pour,
      '/.well-known/oauth-authorization-server': pour,
    };
    const { run, status } = await assess({ service, target }, 'openai', { behaviour: { paths } });
    expect(run.status).toBe('completed');
    expect(status('openai.domain.challenge-served')).toBe('not-evaluated');
    expect(status('openai.auth.prm-discoverable')).toBe('violated');
  });

  test('that redirects to an address that nobody has is not followed there', async () => {
    const paths = { '/a': 'https://240.0.0.1/mcp' };
    const { report } = await assess({ service, target }, 'claude', {
      url: `${target.origin}/a`,
      behaviour: { paths },
    });
    const finding = report.findings.find(({ id }) => id === 'claude.endpoint.redirects-terminate');
    expect(finding?.details?.['problem']).toMatch(/240\.0\.0\.1 is a reserved address/);
  });
});
