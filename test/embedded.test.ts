// @module-tag long
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  Drydock,
  databaseHome,
  databasePid,
  emptyPlace,
  endDatabase,
  newDataDir,
  place,
} from './support/process.ts';

const root = process.getuid?.() === 0;

async function ask(
  baseUrl: string,
  path: string,
  key: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${baseUrl}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

function consoleOf({ stdout }: Drydock): string | undefined {
  return /Console +(\S+)/.exec(stdout)?.[1];
}

/** Uses a link to the console, the one in the banner unless told. */
async function enter(
  service: Drydock,
  link = consoleOf(service) ?? '',
): Promise<{ status: number; email?: string }> {
  const { origin } = new URL(service.baseUrl);
  const [, token] = link.trim().split(`${origin}/console/enter#`);
  const response = await fetch(`${origin}/console/api/links/use`, {
    method: 'POST',
    headers: { 'x-drydock-console': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const { user } = (await response.json()) as { user?: { email: string } };
  return { status: response.status, ...(user && { email: user.email }) };
}

describe('the embedded default', () => {
  test('without any setting the data is in .drydock: the first boot prints a key and a link to the console once, the second finds the data again, SIGTERM stops the database too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'drydock-cwd-'));
    await chmod(folder, 0o711);
    const here = await place(join(folder, '.drydock'));
    await rename(await newDataDir(), here.dataDir);
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const serve = () => new Drydock(['serve'], { DRYDOCK_PORT: '0' }, { cwd: folder }).ready();
    const first = await serve();
    const key = first.key as string;
    expect(await enter(first)).toEqual({ status: 200, email: 'owner@drydock.local' });
    expect((await enter(first)).status).toBe(404);
    expect((await ask(first.baseUrl, '/projects', key, { name: 'Kept' })).status).toBe(201);
    expect(await databasePid(here.dataDir)).toBeGreaterThan(0);
    expect(await first.end()).toMatchObject({ code: 0 });
    expect(await databasePid(here.dataDir)).toBeUndefined();
    const second = await serve();
    expect(second.key).toBeUndefined();
    expect(consoleOf(second)).toBe(second.baseUrl.replace('/api/v1', '/console/'));
    const link = await new Drydock(['console', 'link'], {}, { cwd: folder }).outcome();
    expect(link.stderr).toContain('signs in as owner@drydock.local');
    expect(await enter(second, link.stdout)).toMatchObject({ status: 200 });
    expect(JSON.stringify((await ask(second.baseUrl, '/projects', key)).body)).toContain('Kept');
    expect((await stat(join(here.dataDir, 'master.key'))).mode & 0o777).toBe(0o600);
    expect(await second.end('SIGINT')).toMatchObject({ code: 0 });
  });

  test('of two services started at the same moment on an empty folder below a long path one serves and one is refused', {
    tags: ['long'],
  }, async () => {
    const base = await mkdtemp(join(tmpdir(), 'drydock-long-'));
    if (root) await chmod(base, 0o711);
    onTestFinished(() => rm(base, { recursive: true, force: true }));
    const here = await place(join(base, 'deep'.repeat(15), 'deep'.repeat(15)));
    // The files that a crash leaves behind.
    const left = join(here.dataDir, 'postgres', 'init-999999999');
    await mkdir(left, { recursive: true });
    if (root) await chmod(here.dataDir, 0o711);
    const chosen = `sk_${'chosen'.repeat(8)}`;
    const env = { DRYDOCK_BOOTSTRAP_KEY: chosen, DRYDOCK_PROT: '1' };
    const [a, b] = await Promise.allSettled([here.serve(env), here.serve(env)]);
    expect([a.status, b.status].sort()).toEqual(['fulfilled', 'rejected']);
    const { reason } = [a, b].find((outcome) => outcome.status === 'rejected') as PromiseRejectedResult;
    expect(String(reason)).toContain('already serves');
    const { value } = [a, b].find(
      (outcome) => outcome.status === 'fulfilled',
    ) as PromiseFulfilledResult<Drydock>;
    expect((await ask(value.baseUrl, '/me', chosen)).status).toBe(200);
    expect(value.stderr).toContain('DRYDOCK_PROT is not a setting');
    expect(value.stdout).toContain('Key      as set in DRYDOCK_BOOTSTRAP_KEY');
    expect(value.stdout + value.stderr).not.toContain(chosen);
    await expect(stat(left)).rejects.toThrow();
    // Line 6 is the address the database listens on.
    const file = await readFile(join(databaseHome(here.dataDir), 'data/postmaster.pid'), 'utf8');
    expect(file.split('\n')[5]).toBe('');
    expect(await value.end()).toMatchObject({ code: 0 });
  });

  test('after a crash of the service the next one adopts the database that went on', async () => {
    const here = await place();
    const first = await here.serve();
    const postmaster = await databasePid(here.dataDir);
    await first.end('SIGKILL');
    const second = await here.serve();
    expect(await databasePid(here.dataDir)).toBe(postmaster);
    expect((await ask(second.baseUrl, '/me', first.key as string)).status).toBe(200);
    expect(await second.end()).toMatchObject({ code: 0 });
    expect(await databasePid(here.dataDir)).toBeUndefined();
  });

  test('when the database dies under a running service it is started again, and no second service may begin', async () => {
    const here = await place();
    const service = await here.serve();
    const before = await databasePid(here.dataDir);
    await endDatabase(here.dataDir, 'SIGKILL');
    const key = service.key as string;
    await expect.poll(() => ask(service.baseUrl, '/me', key).then(({ status }) => status)).toBe(200);
    expect(await databasePid(here.dataDir)).not.toBe(before);
    const second = await here.run(['serve']);
    expect(second.code).toBe(2);
    expect(second.stderr).toMatch(/^drydock: Another Drydock \(process \d+\) already serves .*\n$/);
    expect((await ask(service.baseUrl, '/me', key)).status).toBe(200);
    expect(await service.end()).toMatchObject({ code: 0 });
  });

  test('operator commands work next to a running service and without one', async () => {
    const here = await place();
    const service = await here.serve();
    const made = await here.run(['keys', 'create', '--name', 'ci']);
    expect(made).toMatchObject({ code: 0 });
    const key = made.stdout.trim();
    expect((await ask(service.baseUrl, '/me', key)).status).toBe(200);
    await service.end();
    const listed = JSON.parse((await here.run(['keys', 'list', '--json'])).stdout) as {
      id: string;
      name: string;
    }[];
    expect(listed.map(({ name }) => name)).toEqual(['First key', 'ci']);
    expect(await databasePid(here.dataDir)).toBeUndefined();
    const revoked = await here.run(['keys', 'revoke', listed[1]?.id as string]);
    expect(revoked).toMatchObject({ code: 0 });
    const again = await here.serve();
    expect((await ask(again.baseUrl, '/me', key)).status).toBe(401);
  });

  test.runIf(root)(
    'below a folder only root may enter, the database lives elsewhere and says where',
    { tags: ['long'] },
    async () => {
      const closed = await mkdtemp(join(tmpdir(), 'drydock-closed-'));
      onTestFinished(() => rm(closed, { recursive: true, force: true }));
      const here = await place(join(closed, 'data'));
      const first = await here.serve();
      const home = databaseHome(here.dataDir);
      expect(home).toMatch(/^\/var\/lib\/drydock\//);
      expect(first.stderr).toContain(home);
      expect((await ask(first.baseUrl, '/projects', first.key as string, { name: 'Kept' })).status).toBe(201);
      await first.end();
      const second = await here.serve();
      expect(JSON.stringify((await ask(second.baseUrl, '/projects', first.key as string)).body)).toContain(
        'Kept',
      );
      await second.end();
    },
  );
});

describe('what an operator must mend is one line and exit code 1', () => {
  const oneLine = /^drydock: [^\n]+\n$/;

  test('a taken port', async () => {
    const here = await place();
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void blocker.close());
    const { port } = blocker.address() as { port: number };
    const { code, stderr } = await here.run(['serve'], {
      DRYDOCK_PORT: String(port),
      DRYDOCK_LOG_LEVEL: 'warn',
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(`Port ${port} is taken on 127.0.0.1. Set DRYDOCK_PORT`);
    // No process is left running, and no data is damaged.
    expect(await databasePid(here.dataDir)).toBeUndefined();
    const next = await here.serve();
    expect(next.key).toMatch(/^sk_/);
    await next.end();
  });

  test('a data directory that cannot be written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'drydock-file-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const here = await emptyPlace();
    const { code, stderr } = await here.run(['serve'], { DRYDOCK_DATA_DIR: join(file, 'data') });
    expect(code).toBe(2);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain('Set DRYDOCK_DATA_DIR');
  });

  test.each([
    ['nothing listens there', 'postgres://u:hidden-word@127.0.0.1:1/d'],
    ['no such host', 'postgres://u:hidden-word@nowhere.invalid/d'],
  ])('a database URL where %s', async (_, url) => {
    const here = await emptyPlace();
    const { code, stderr } = await here.run(['serve'], { DRYDOCK_DATABASE_URL: url });
    expect(code).toBe(2);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain('Check DRYDOCK_DATABASE_URL');
    expect(stderr).not.toContain('hidden-word');
  });

  test('a database URL that is none, and other unusable settings', async () => {
    const here = await emptyPlace();
    for (const [name, value] of [
      ['DRYDOCK_DATABASE_URL', 'mysql://hidden-word'],
      ['DRYDOCK_PORT', 'many'],
      ['DRYDOCK_RATE_LIMIT', '60'],
      ['DRYDOCK_BOOTSTRAP_KEY', 'sk_short'],
      ['DRYDOCK_MODELS_FILE', '/nowhere/models.json'],
    ] as const) {
      const { code, stderr } = await here.run(['serve'], { [name]: value });
      expect(code).toBe(2);
      expect(stderr).toMatch(oneLine);
      expect(stderr).toContain(name);
      expect(stderr).not.toContain('hidden-word');
    }
  });

  test('a cluster of another major version, and a lost master key', { tags: ['long'] }, async () => {
    const here = await place();
    await (await here.serve()).end();
    const file = join(databaseHome(here.dataDir), 'data/PG_VERSION');
    const version = await readFile(file, 'utf8');
    await writeFile(file, '17\n');
    const { code, stderr } = await here.run(['serve']);
    expect(code).toBe(2);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain('made by PostgreSQL 17');
    await writeFile(file, version);
    await (await here.serve()).end();
    await rm(join(here.dataDir, 'master.key'));
    const lost = await here.run(['serve']);
    expect(lost.code).toBe(2);
    expect(lost.stderr).toMatch(oneLine);
    expect(lost.stderr).toContain('Put the file back');
  });
});
