import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { setMember } from '../src/domain/operator/members.ts';
import { createUser, deleteUser } from '../src/domain/operator/users.ts';
import { Trust } from '../src/domain/parts/trust.ts';
import { loadConfig } from '../src/platform/config/load.ts';
import { newId } from '../src/platform/ids.ts';
import { saveServer } from './support/live.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';

const byDefault = { DRYDOCK_ALLOW_STDIO: '', DRYDOCK_ALLOWED_NETWORKS: '' };
const demoCommand = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../dist/program/main.js', import.meta.url)), 'demo-server', '--stdio'],
};

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ env: byDefault });
});
afterAll(() => dispose(service));

/** As the command line makes one, in a process the service knows nothing of. */
async function secondUser({ db }: TestService): Promise<() => Promise<void>> {
  const id = await createUser(db, { email: `${newId('u')}@example.com`, name: 'Second' });
  let there = true;
  const leave = async (): Promise<void> => {
    if (there) await deleteUser(db, id);
    there = false;
  };
  onTestFinished(leave);
  return leave;
}

test('commands and local networks are open to one person, and closed while there are two', async () => {
  const path = `/projects/${await service.defaultProject()}/servers`;
  const command = await saveServer(service, demoCommand);
  const local = await saveServer(service, { url: await service.demoUrl() });
  const named = await saveServer(service, {
    url: (await service.demoUrl()).replace('127.0.0.1', 'localhost'),
  });
  for (const server of [command, local, named]) expect((await server.post('tools')).status).toBe(200);

  const leave = await secondUser(service);
  await expect
    .poll(() => service.post(path, { name: 'late', command: 'node' }))
    .toMatchObject({
      status: 403,
      body: {
        code: 'FORBIDDEN',
        message: expect.stringMatching(/it has several users\. .*DRYDOCK_ALLOW_STDIO=true/),
      },
    });
  // Commands and connections that are warm serve nobody any more.
  await expect
    .poll(() => command.post('tools'))
    .toMatchObject({
      status: 422,
      body: { code: 'FEATURE_NOT_SUPPORTED', message: expect.stringContaining('it has several users') },
    });
  const refused = {
    status: 400,
    body: {
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/it has several users\. .*DRYDOCK_ALLOWED_NETWORKS/),
      details: { code: 'URL_NOT_ALLOWED' },
    },
  };
  for (const server of [local, named]) await expect.poll(() => server.post('tools')).toMatchObject(refused);
  expect(await service.post(path, { name: 'late', url: 'http://127.0.0.1:1/' })).toMatchObject(refused);

  await leave();
  for (const server of [command, local, named])
    await expect.poll(async () => (await server.post('tools')).status).toBe(200);
});

const several = 'it has several users';
const listens = 'it listens on 0.0.0.0 (DRYDOCK_HOST)';
const reached = 'it is reached at drydock.example.com (DRYDOCK_PUBLIC_URL)';

test.each<[Record<string, string>, 1 | 2, string | undefined]>([
  [{}, 1, undefined],
  [{}, 2, several],
  [{ DRYDOCK_HOST: '::1', DRYDOCK_PUBLIC_URL: 'http://localhost:4700' }, 1, undefined],
  [{ DRYDOCK_HOST: '0.0.0.0' }, 1, listens],
  [{ DRYDOCK_PUBLIC_URL: 'https://drydock.example.com' }, 1, reached],
  [
    { DRYDOCK_HOST: '0.0.0.0', DRYDOCK_PUBLIC_URL: 'https://drydock.example.com' },
    2,
    `${listens} and ${reached}`,
  ],
])('%j and %i users: refused because %s', async (env, users, why) => {
  if (users === 2) await secondUser(service);
  const trust = (extra: Record<string, string> = {}) =>
    new Trust(loadConfig({ ...env, ...extra }).config, service.db, () => 0);
  const commands = await trust().commandsRefused();
  const { local, networks, because } = await trust().addressPolicy();
  expect({ local, networks }).toEqual({ local: why === undefined, networks: [] });
  expect(commands?.includes(why ?? '')).toBe(why === undefined ? undefined : true);
  expect(because).toBe(why && `this service is not one person's: ${why}`);
  // The operator's word is final, either way.
  expect(await trust({ DRYDOCK_ALLOW_STDIO: 'true' }).commandsRefused()).toBeUndefined();
  expect(await trust({ DRYDOCK_ALLOW_STDIO: 'false' }).commandsRefused()).toContain(
    'DRYDOCK_ALLOW_STDIO=false',
  );
  expect(await trust({ DRYDOCK_ALLOWED_NETWORKS: '10.1.0.0/16' }).addressPolicy()).toEqual({
    local: false,
    networks: ['10.1.0.0/16'],
  });
});

test('the users are counted again after a second, and the policy is the same object until it changes', async () => {
  let now = 0;
  const trust = new Trust(loadConfig({}).config, service.db, () => now);
  const open = await trust.addressPolicy();
  expect(open.local).toBe(true);
  const leave = await secondUser(service);
  now = 1000;
  expect(await trust.addressPolicy()).toBe(open);
  expect(await trust.commandsRefused()).toBeUndefined();
  now = 1001;
  const closed = await trust.addressPolicy();
  expect(closed.local).toBe(false);
  expect(await trust.commandsRefused()).toBeDefined();
  await leave();
  now = 2002;
  expect(await trust.addressPolicy()).not.toBe(closed);
  expect(await trust.addressPolicy()).toBe(open);
});

test('only administrators of a project save and edit commands; members use them', async () => {
  const shared = await startForTest();
  const project = await shared.defaultProject();
  const path = `/projects/${project}/servers`;
  const member = await shared.member('member');
  const { key } = member;
  const refused = {
    status: 403,
    body: { code: 'FORBIDDEN', message: expect.stringContaining('administrator') },
  };
  const command = await saveServer(shared, demoCommand);
  const url = await saveServer(shared, { url: 'https://weather.example.com/mcp' }, key);
  expect(await shared.post(path, { name: 'mine', command: 'node' }, { key })).toMatchObject(refused);
  for (const change of [
    { args: ['-v'] },
    { name: 'x' },
    { transportType: 'http', url: 'https://example.com/' },
  ])
    expect(await shared.patch(command.path, change, { key })).toMatchObject(refused);
  expect(await shared.patch(url.path, { transportType: 'stdio', command: 'node' }, { key })).toMatchObject(
    refused,
  );
  expect((await shared.patch(url.path, { name: 'renamed' }, { key })).status).toBe(200);
  expect((await shared.post(`${command.path}/tools`, {}, { key })).status).toBe(200);
  await setMember(shared.db, { project }, { user: member.userId, role: 'admin' });
  expect((await shared.post(path, { name: 'mine', command: 'node' }, { key })).status).toBe(201);
  expect((await shared.patch(command.path, { name: 'x' }, { key })).status).toBe(200);
});
