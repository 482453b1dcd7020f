// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOrganization } from '../src/domain/operator/organizations.ts';
import { createUser } from '../src/domain/operator/users.ts';
import { Drydock, type Outcome } from './support/process.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

/** A command against the database of the running service. */
async function run(...args: string[]): Promise<Outcome> {
  const env = {
    DRYDOCK_DATABASE_URL: service.database.url,
    DRYDOCK_DATA_DIR: service.running.services.config.dataDir,
  };
  return new Drydock(args, env).outcome();
}

test('an operator sets up a second team from nothing', async () => {
  const second = await run('users', 'create', 'ann@example.com', '--name', 'Ann');
  expect([second.code, second.stderr]).toEqual([
    0,
    'With a second user, this service refuses stdio servers and servers at local addresses. To keep them, the operator must set DRYDOCK_ALLOW_STDIO=true and DRYDOCK_ALLOWED_NETWORKS to their networks.\n',
  ]);
  const organization = (await run('orgs', 'create', 'Team', '--owner', 'ann@example.com')).stdout.trim();
  expect(organization).toMatch(/^org_/);
  const key = (
    await run('keys', 'create', '--organization', 'Team', '--user', 'ann@example.com', '--name', 'ci')
  ).stdout.trim();
  expect((await service.get('/me', { key })).body).toMatchObject({ email: 'ann@example.com', name: 'Ann' });
  expect((await service.get('/projects', { key })).body.items).toMatchObject([
    { name: 'Default', role: 'admin' },
  ]);

  expect((await run('users', 'create', 'bob@example.com')).stderr).toBe('');
  expect((await run('members', 'set', 'bob@example.com', 'member', '--organization', 'Team')).code).toBe(0);
  const listed = await run('members', 'list', '--organization', 'Team');
  expect(listed.stdout).toMatch(/ann@example.com +Ann +owner/);
  expect(listed.stdout).toMatch(/bob@example.com +bob@example.com +member/);

  await run('features', 'enable', 'swarms', '--organization', 'Team');
  expect((await run('features', 'list', '--organization', 'Team')).stdout).toMatch(
    /swarms +on\nuser-testing +on/,
  );
  await run('plans', 'set', 'team', 'insightsPerDay=5', 'concurrentEvalRuns=8');
  await run('orgs', 'plan', 'team', '--organization', 'Team');
  const project = (await service.get('/projects', { key })).body.items[0].id;
  expect((await service.get(`/projects/${project}/capabilities`, { key })).body).toMatchObject({
    plan: { name: 'team', limits: { insightsPerDay: 5, concurrentEvalRuns: 8, credits: null } },
  });
  expect((await run('orgs', 'usage', '--organization', 'Team')).stdout).toMatch(/insightsPerDay +0 +5/);

  const told = (await run('audit', '--organization', 'Team')).stdout;
  expect(told).toMatch(/member\.set +bob@example\.com \(usr_\w+\)/);
  expect(told).toMatch(/organization\.create +Team \(org_\w+\)/);
  const audit = await run('audit', '--organization', 'Team', '--json');
  const actions = (JSON.parse(audit.stdout) as { action: string; actor: string }[]).map(
    ({ action }) => action,
  );
  expect(actions).toEqual([
    'organization.set-plan',
    'feature.enable',
    'member.set',
    'key.create',
    'organization.create',
  ]);
  expect((await run('orgs', 'delete', 'Team')).code).toBe(0);
  expect((await service.get('/me', { key })).body.details).toEqual({ reason: 'ORPHANED_KEY' });
});

test.each([
  [['keys', 'revoke', 'key_none'], 'No working key key_none'],
  [['keys', 'create', '--organization', 'Nowhere'], 'No organization Nowhere. Available: Drydock (org_'],
  [
    ['keys', 'create', '--organization', 'Drydock', '--user', 'nobody@example.com'],
    'No user nobody@example.com. Available: owner@drydock.local (usr_',
  ],
  [['members', 'list', '--project', 'Nowhere'], 'No project Nowhere. Available: Default of Drydock (prj_'],
  [['orgs', 'plan', 'gold', '--organization', 'Drydock'], 'No plan gold'],
  [['features', 'enable', 'magic'], 'No feature magic. Available: swarms, user-testing'],
  [
    ['members', 'set', 'owner@drydock.local', 'king', '--organization', 'Drydock'],
    'No role king. Available: owner, admin, member',
  ],
  [['plans', 'set', 'x', 'insightsPerDay=many'], 'insightsPerDay: "many" is not a whole number or unlimited'],
  [['plans', 'set', 'x', 'luck=1'], 'No limit luck'],
  [['users', 'create', 'not-an-address'], 'not-an-address is not an email address'],
  [['users', 'create', 'OWNER@drydock.local'], 'There is already a user OWNER@drydock.local'],
  [['audit', '--limit', 'all'], '--limit: "all" is not a number'],
])('%j says what is wrong in one line', async (args, message) => {
  const { code, stderr } = await run(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^drydock: [^\n]+\n$/);
  expect(stderr).toContain(message);
});

test('what is left out and cannot be told is chosen from a list of names and ids', async () => {
  const { db } = service;
  const second = await createUser(db, { email: 'second@example.com', name: 'Second' });
  const twin = () => createOrganization(db, { name: 'Twins', owner: second });
  const twins = [await twin(), await twin()];
  const organizations = twins.map(({ id }) => `Twins (${id})`);
  const projects = twins.map(({ defaultProjectId: id }) => `Default of Twins (${id})`);
  for (const [args, problem, candidates] of [
    [
      ['keys', 'create', '--user', second],
      'Name the organization with --organization: Drydock (org_',
      organizations,
    ],
    [
      ['features', 'list', '--organization', 'Twins'],
      'Several organizations are named "Twins". Use an ID',
      organizations,
    ],
    [['plugins', 'remove', 'x'], 'Name the project with --project: Default of Drydock (prj_', projects],
    [
      ['members', 'list', '--project', 'Default'],
      'Several projects are named "Default". Use an ID',
      projects,
    ],
    [
      ['keys', 'create', '--organization', 'Drydock'],
      'Name the user with --user',
      [`second@example.com (${second})`],
    ],
  ] as const) {
    const { code, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^drydock: [^\n]+\n$/);
    for (const part of [problem, ...candidates]) expect(stderr).toContain(part);
  }
});

test('an unknown command suggests the nearest', async () => {
  const { code, stderr } = await run('kesy');
  expect(code).toBe(2);
  expect(stderr).toContain('keys');
});

test('secrets move to a new master key while the service runs', async () => {
  const project = await service.defaultProject();
  await service.post(`/projects/${project}/servers`, { name: 'a', url: 'https://e.com', clientSecret: 'x' });
  const { code, stdout } = await run('secrets', 'rotate-key');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Re-encrypted 1 values: key [0-9a-f]{16} is replaced by key [0-9a-f]{16}\.\n$/);
  const made = await service.post(`/projects/${project}/servers`, {
    name: 'b',
    url: 'https://e.com',
    clientSecret: 'y',
  });
  expect(made.status).toBe(201);
});
