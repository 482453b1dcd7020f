import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { dispose, startTestService } from './support/service.ts';
import { startHostile } from './targets/hostile.ts';
import { startModernOnly } from './targets/modern-only.ts';
import { startEverything } from './targets/processes.ts';
import { startSelfSigned } from './targets/tls.ts';

test('explore', async () => {
  const service = await startTestService();
  const p = await service.defaultProject();
  const hostile = await startHostile();
  const modern = await startModernOnly();
  const sse = await startEverything('sse');
  const tls = await startSelfSigned();
  const node = process.execPath;
  const rows: [string, object, object?][] = [
    ['refused', { url: 'http://127.0.0.1:1/mcp' }],
    ['dns', { url: 'http://nowhere.example.com/mcp' }],
    ...[
      '/reset',
      '/hang',
      '/status/500',
      '/status/503',
      '/html',
      '/bad-json',
      '/status/404',
      '/status/405',
      '/401-plain',
      '/401-basic',
      '/401-oauth',
      '/401-issuer',
      '/status/403',
      '/403-scope',
      '/status/429',
      '/status/400',
      '/status/401',
      '/status/204',
      '/status/302',
      '/redirect-away',
      '/redirect-loop',
      '/redirect-metadata',
      '/old-version',
      '/big-headers',
      '/drip',
      '/huge-first',
      '/gzip-bomb',
      '/get-405',
    ].map((path): [string, object] => [
      path,
      { url: hostile.url(path), ...(/hang|drip/.test(path) && { timeout: 600 }) },
    ]),
    ['pin modern on legacy', { url: hostile.url('/odd') }, { mcpProtocolVersion: '2026-07-28' }],
    ['pin legacy on modern', { url: modern.url }, { mcpProtocolVersion: '2025-11-25' }],
    ['pin 2025-03-26 on 2025-11-25', { url: hostile.url('/odd') }, { mcpProtocolVersion: '2025-03-26' }],
    ['modern', { url: modern.url }],
    ['sse', { url: sse.url }],
    ['tls', { url: tls.url }],
    ['httpOnTls', { url: tls.url.replace('https', 'http') }],
    ['tlsOnHttp', { url: hostile.url('/odd').replace('http', 'https') }],
    ['enoent', { command: '/nowhere/command' }],
    ['enoent2', { command: 'no-such-command-anywhere' }],
    ['eacces', { command: '/etc/passwd' }],
    ['exits', { command: node, args: ['-e', 'console.error("Cannot find license key"); process.exit(3)'] }],
    ['exits silent', { command: node, args: ['-e', 'process.exit(3)'] }],
    ['silent', { command: node, args: ['-e', 'setInterval(() => {}, 1000)'], timeout: 1000 }],
    [
      'silent stderr',
      {
        command: node,
        args: ['-e', 'console.error("waiting for a database"); setInterval(() => {}, 1000)'],
        timeout: 1000,
      },
    ],
    [
      'garbage',
      { command: node, args: ['-e', 'console.log("Hello!"); setInterval(() => {}, 1000)'], timeout: 1000 },
    ],
    [
      'secret',
      {
        command: node,
        args: ['-e', 'console.error("key is " + process.env.SECRET); process.exit(1)'],
        env: { SECRET: 'marker-7f3a' },
      },
    ],
  ];
  let out = '';
  for (const [name, settings, body] of rows) {
    const saved = await service.post(`/projects/${p}/servers`, { name, ...settings });
    const base = `/projects/${p}/servers/${saved.body?.id}`;
    const t0 = performance.now();
    const v = await service.post(`${base}/validate`, body ?? {});
    const t1 = performance.now();
    const d = await service.post(`${base}/doctor`, body ?? {});
    const t2 = performance.now();
    out += `## ${name} saved=${saved.status}${saved.status >= 300 ? saved.text : ''}\nV ${v.status} ${Math.round(t1 - t0)}ms retry=${v.headers.get('retry-after')} ${v.text}\nD ${d.status} ${Math.round(t2 - t1)}ms ${d.body?.status} err=${JSON.stringify(d.body?.error)}\n   conn=${JSON.stringify(d.body?.connection)}\n   probe.status=${d.body?.probe?.status} sel=${d.body?.probe?.transport?.selected} oauth=${JSON.stringify(d.body?.probe?.oauth)} ${d.status !== 200 ? d.text : ''}\n   attempts=${JSON.stringify(d.body?.probe?.transport?.attempts)}\n`;
    for (const [k, c] of Object.entries(d.body?.checks ?? {})) out += `     ${k}: ${JSON.stringify(c)}\n`;
  }
  writeFileSync('/tmp/explore.txt', out);
  await dispose(service);
  await Promise.all([hostile.stop(), modern.stop(), sse.stop(), tls.stop()]);
}, 120_000);
