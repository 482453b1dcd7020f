import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const lockdown = fileURLToPath(new URL('./lockdown.cjs', import.meta.url));

async function serve(): Promise<{ url: string; port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer((_request, response) => void response.end('reached'));
  server.on('connection', () => connections++).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, port, connections: () => connections };
}

/** Runs code in a process that may connect to one address only, and returns its output. */
async function inside(url: string, code: string): Promise<string> {
  const script = `(async () => { ${code} })().then((said) => console.log(said), (error) => console.log('refused', error.cause?.message ?? error.message));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--require',
    lockdown,
    '-e',
    script,
    '--',
    '--url',
    url,
  ]);
  return stdout.trim();
}

test('the gate is reached, and nothing else', async () => {
  const [gate, other] = [await serve(), await serve()];
  expect(await inside(gate.url, `return (await fetch('${gate.url}')).text();`)).toBe('reached');
  const attempts = [
    `return (await fetch('${other.url}')).text();`,
    `return (await fetch('http://localhost:${gate.port}/')).text();`,
    `return new Promise((resolve, reject) => require('http').get('${other.url}', resolve).on('error', reject));`,
    `return new Promise((resolve, reject) => require('net').connect(${other.port}, '127.0.0.1', resolve).on('error', reject));`,
    `return new Promise((resolve, reject) => require('net').connect({ path: '/tmp/none.sock' }, resolve).on('error', reject));`,
    `return new Promise((resolve, reject) => new (require('net').Socket)().connect(${other.port}, resolve).on('error', reject));`,
    `return require('dns').promises.lookup('localhost');`,
    `const own = new (require('dns').Resolver)(); own.setServers(['127.0.0.1:9']); return own.resolve4('localhost', () => {});`,
    `return require('dgram').createSocket('udp4').send('x', ${other.port}, '127.0.0.1');`,
    `return require('child_process').execSync('echo reached');`,
    `return require('net').createServer().listen(0);`,
  ];
  for (const attempt of attempts)
    expect([attempt, await inside(gate.url, attempt)]).toEqual([attempt, expect.stringMatching(/^refused/)]);
  expect(other.connections()).toBe(0);
  expect(gate.connections()).toBe(1);
});
