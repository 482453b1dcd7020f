// @module-tag long
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { Drydock, place } from './support/process.ts';

/** The service with certificate files of its own, as clients and commands meet it. */

const run = promisify(execFile);

/** A pair for this machine that trusts itself. */
async function makePair(
  folder: string,
  name: string,
): Promise<{ cert: string; key: string; serial: string }> {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${name}`];
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1'];
  await run('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', cert]);
  const { stdout } = await run('openssl', ['x509', '-in', cert, '-noout', '-serial']);
  return { cert, key, serial: stdout.trim().replace('serial=', '') };
}

interface Asked {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  text: string;
  serial: string;
  protocol: string | null;
  socket: TLSSocket;
}

async function ask(
  url: string,
  options: { ca: Buffer[]; agent?: Agent; maxVersion?: SecureVersion; body?: object; headers?: object },
): Promise<Asked> {
  const { body, headers, ...tls } = options;
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const json = { 'content-type': 'application/json', 'x-drydock-console': '1', ...headers };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(url, { agent: new Agent(), method, headers: json, ...tls }, resolve);
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
  const socket = message.socket as TLSSocket;
  const [serial, protocol] = [socket.getPeerCertificate().serialNumber, socket.getProtocol()];
  return {
    status: message.statusCode,
    headers: message.headers,
    text: await textOf(message),
    serial,
    protocol,
    socket,
  };
}

test('requests, cookies, commands and tunnels use TLS, and a renewed certificate is taken up without ending anything', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-tls-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [first, second] = await Promise.all([makePair(folder, 'first'), makePair(folder, 'second')]);
  const ca = await Promise.all([first, second].map(({ cert }) => readFile(cert)));
  const trusted = join(folder, 'trusted.pem');
  await writeFile(trusted, Buffer.concat(ca));
  const [cert, key] = [join(folder, 'live.pem'), join(folder, 'live.key')];
  const replace = async (from: string, to: string): Promise<void> => {
    await copyFile(from, `${to}.new`);
    await rename(`${to}.new`, to);
  };
  await Promise.all([replace(first.cert, cert), replace(first.key, key)]);

  const home = await place();
  const tls = { DRYDOCK_TLS_CERT: cert, DRYDOCK_TLS_KEY: key };
  const trusting = { NODE_EXTRA_CA_CERTS: trusted };
  const service = await home.serve(tls);
  expect(service.baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
  const origin = service.baseUrl.replace('/api/v1', '');

  const live = await ask(`${origin}/healthz`, { ca });
  expect(live).toMatchObject({ status: 200, serial: first.serial, protocol: 'TLSv1.3' });
  expect(live.headers['strict-transport-security']).toBeUndefined();
  expect(await ask(`${origin}/healthz`, { ca, maxVersion: 'TLSv1.2' })).toMatchObject({
    protocol: 'TLSv1.2',
  });
  await expect(ask(`${origin}/healthz`, { ca: [] })).rejects.toThrow(/self-signed/);

  const token = /enter#(\S+)/.exec(service.stdout)?.[1] ?? '';
  const entered = await ask(`${origin}/console/api/links/use`, {
    ca,
    body: { token },
    headers: { origin },
  });
  expect(entered.headers['set-cookie']?.[0]).toMatch(/^__Host-drydock_session=.*; Secure$/);

  const health = await home.run(['health'], { ...tls, DRYDOCK_PORT: new URL(origin).port });
  expect(health).toMatchObject({ code: 0, stdout: `${origin}/healthz 200 {"status":"ok"}\n` });
  expect(await home.run(['projects', 'list', '--jq', '.items[].name'], trusting)).toMatchObject({
    code: 0,
    stdout: 'Default\n',
  });
  const distrusting = await home.run(['projects', 'list']);
  expect(distrusting).toMatchObject({ code: 4, stderr: expect.stringContaining('NODE_EXTRA_CA_CERTS') });

  const tunnelArgs = ['tunnel', '--name', 'laptop', '--target', 'http://127.0.0.1:9/mcp', '--json'];
  const tunnel = new Drydock(tunnelArgs, { ...home.env, ...trusting });
  onTestFinished(() => void tunnel.child.kill('SIGKILL'));
  await tunnel.said(/\n/);
  expect(tunnel.stdout).toContain(`${origin}/tunnels/`);

  // One connection stays open while the files are replaced, first by half.
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => kept.destroy());
  const before = await ask(`${origin}/healthz`, { ca, agent: kept });
  await replace(second.cert, cert);
  await expect.poll(() => service.stderr).toContain('does not belong to the first certificate');
  expect(await ask(`${origin}/healthz`, { ca })).toMatchObject({ status: 200, serial: first.serial });
  await replace(second.key, key);
  await expect.poll(async () => (await ask(`${origin}/healthz`, { ca })).serial).toBe(second.serial);
  const after = await ask(`${origin}/healthz`, { ca, agent: kept });
  expect(after.socket).toBe(before.socket);
  expect(after.serial).toBe(first.serial);
  expect(tunnel.child.exitCode).toBeNull();
  await tunnel.end('SIGINT');
  expect((await service.end()).code).toBe(0);

  const known = { DRYDOCK_PUBLIC_URL: 'https://drydock.example.com', DRYDOCK_PORT: new URL(origin).port };
  const named = await home.serve({ ...tls, ...known });
  const strict = await ask(`${origin}/healthz`, { ca });
  expect(strict.headers['strict-transport-security']).toBe('max-age=31536000');
  const at = /"url":"([^"]+)"/.exec(await readFile(join(home.dataDir, 'service.json'), 'utf8'))?.[1];
  expect([named.baseUrl, at]).toEqual(['https://drydock.example.com/api/v1', 'https://drydock.example.com']);
  expect(named.stderr).toContain('is not for drydock.example.com');
  expect((await named.end()).code).toBe(0);
  const broken = await home.run(['serve'], { ...tls, DRYDOCK_TLS_KEY: first.key });
  expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('does not belong') });
});
