import { type Operation, paramNames } from '../../src/contract/operation.ts';
import { configIdOf } from '../../src/domain/clients/config.ts';
import { configFromTemplate } from '../../src/domain/clients/from-template.ts';
import { createConsoleLink } from '../../src/domain/operator/console-link.ts';
import { createKey } from '../../src/domain/operator/keys.ts';
import { setMember } from '../../src/domain/operator/members.ts';
import { installPlugin } from '../../src/domain/operator/plugins.ts';
import { addSkill } from '../../src/domain/operator/skills.ts';
import { makeLink } from '../../src/domain/people/links.ts';
import type { Database } from '../../src/platform/database/database.ts';
import * as identities from '../../src/platform/database/queries/identities.ts';
import * as users from '../../src/platform/database/queries/users.ts';
import { newId } from '../../src/platform/ids.ts';
import { sleepingBrowser } from './browser-fixtures.ts';
import { everyOperation } from './every-operation.ts';
import { givePassword, signedIn } from './people.ts';
import { readDirectory } from './registry.ts';
import type { TestService } from './service.ts';

interface Workshop {
  service: TestService;
  visibility: 'public' | 'private';
  /** Another parameter of the same set, created on first use. */
  need: (name: string) => Promise<string>;
}

/** Creates the resource that a path parameter names. The table has every parameter of the contract. */
const makers: Record<string, (workshop: Workshop) => Promise<string>> = {
  projectId: ({ service, visibility }) => idOf(service.post('/projects', { name: 'Fixture', visibility })),
  serverId: async ({ service, need }) =>
    idOf(
      service.post(`/projects/${await need('projectId')}/servers`, {
        name: 'fixture',
        url: await service.demoUrl(),
      }),
    ),
  secretId: async ({ service, need }) =>
    idOf(
      service.post(`/projects/${await need('projectId')}/secrets`, {
        name: 'FIXTURE',
        value: 'fixture',
        delivery: 'materialized',
      }),
    ),
  skillId: async ({ service, need }) => {
    const files = new Map([['SKILL.md', skillText]]);
    return (await addSkill(service.db, files, { project: await need('projectId') })).id;
  },
  pluginVersionId: async ({ service, need }) => {
    const files = new Map([
      ['plugin.json', Buffer.from('{ "name": "fixture" }')],
      ['skills/fixture/SKILL.md', skillText],
    ]);
    const place = { project: await need('projectId') };
    return (await installPlugin(service.running.services, files, place)).versionId;
  },
  catalogServerId: async ({ service }) => {
    await readDirectory(service);
    return (await service.get('/registry/directory-servers?q=fixture')).body.items[0].id as string;
  },
  idOrName: ({ need }) => need('catalogServerId'),
  registryServerId: async ({ service, need }) => {
    const path = `/organizations/${await need('organizationId')}/registry/servers`;
    const transport = { url: await service.demoUrl() };
    return idOf(service.post(path, { name: newId('card'), transport }));
  },
  client: async ({ service, need }) => makeClient(service, await need('projectId'), 'fixture'),
  hostId: async ({ service, need }) => makeClient(service, await need('projectId'), 'host'),
  // The ID is a hash of the content, so all clients with this configuration share it.
  configId: async () => configIdOf(configFromTemplate('claude')),
  environmentId: async ({ service, need }) => {
    const projectId = await need('projectId');
    const serverIds = [await need('serverId')];
    const config = { modelId: 'drydock/rehearsal', serverIds };
    const hostId = await idOf(
      service.post(`/projects/${projectId}/clients`, { name: 'of environment', config }),
    );
    return idOf(service.post(`/projects/${projectId}/environments`, { name: 'fixture', hostId }));
  },
  organizationId: async ({ service }) => (await service.get('/organizations')).body.items[0].id as string,
  suiteId: async ({ service, need }) => {
    const suite = {
      name: 'fixture',
      serverIds: [await need('serverId')],
      model: 'drydock/rehearsal',
      tests: [
        {
          title: 'Lists ships',
          steps: [{ id: '1', kind: 'prompt', prompt: 'Which ships are in the drydock?' }],
        },
      ],
    };
    const answer = await service.post(`/projects/${await need('projectId')}/eval-suites`, suite);
    if (answer.status !== 201) throw new Error(`A fixture was not made: ${answer.status} ${answer.text}`);
    return answer.body.suiteId as string;
  },
  declaredSuiteId: async () => 'fixture',
  caseId: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/eval-suites/${await need('suiteId')}/cases`;
    return (await service.get(path)).body.items[0].id as string;
  },
  runId: async ({ service, need }) => {
    const request = { suiteId: await need('suiteId') };
    const answer = await service.post(`/projects/${await need('projectId')}/eval-runs`, request);
    if (answer.status !== 202) throw new Error(`A fixture was not made: ${answer.status} ${answer.text}`);
    return answer.body.runId as string;
  },
  // Ended and two days old, because running ones and those of the last day are limited.
  readinessRunId: async ({ service, need }) => {
    const id = newId('rdy');
    await within(
      service,
      `insert into readiness_runs (id, organization_id, project_id, server_id, server_url, kind, status, created_at,
         policy_snapshot_date, engine_version, sdk_version, include_llm_observations, llm_observations, options, started_by)
       select $1, organization_id, id, $3, 'https://weather.example.com/mcp', 'claude', 'failed', now() - interval '2 days',
         '2026-11-01', '1', '0.1.0', false, '{"status":"not-requested"}', '{}', 'somebody' from projects where id = $2`,
      [id, await need('projectId'), await need('serverId')],
    );
    return id;
  },
  personaId: async ({ service, need }) =>
    idOf(service.post(`/projects/${await need('projectId')}/personas`, { name: 'Ada', role: 'fixture' })),
  swarmId: async ({ service, need }) => {
    const swarm = { name: 'fixture', iterations: 1, maxTurns: 1 };
    return idOf(service.post(`/projects/${await need('projectId')}/swarms`, swarm));
  },
  // Has its own persona, so that the other one can be deleted.
  journeyId: async ({ service, need }) => {
    const project = `/projects/${await need('projectId')}`;
    const personaId = await idOf(service.post(`${project}/personas`, { name: 'Bo', role: 'fixture' }));
    const predicate = { type: 'finalAssistantMessageNonEmpty' };
    return idOf(
      service.post(`${project}/journeys`, {
        goal: 'Which ships are in the drydock?',
        personaId,
        environmentIds: [await need('environmentId')],
        sessionsPerTarget: 1,
        maxTurns: 1,
        rubric: { criteria: [{ id: 'answers', predicate }] },
      }),
    );
  },
  goalId: ({ need }) => need('journeyId'),
  journeyRunId: async ({ service, need }) => {
    await forgetSpending(service);
    const path = `/projects/${await need('projectId')}/journeys/${await need('journeyId')}/runs`;
    const answer = await service.post(path);
    if (answer.status !== 202) throw new Error(`A fixture was not made: ${answer.status} ${answer.text}`);
    return answer.body.id as string;
  },
  waveId: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/journey-runs/${await need('journeyRunId')}`;
    return (await service.get(path)).body.waveId as string;
  },
  swarmRunId: ({ need }) => need('waveId'),
  findingId: async ({ service, need }) => {
    const id = newId('jfnd');
    const columns = `(id, project_id, fingerprint, dimension, subject, status, occurrence_count, last_seen_wave_id,
      first_seen_at, last_seen_at)`;
    await within(
      service,
      `insert into journey_findings ${columns}
       values ($1, $2, $1, 'goal', '{"kind":"journey","id":"x","label":"x"}', 'new', 1, 'wave', now(), now())`,
      [id, await need('projectId')],
    );
    return id;
  },
  studyId: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/environments/${await need('environmentId')}/study`;
    return (await service.request('PUT', path, { body: { mode: 'anyone_with_link' } })).body.id as string;
  },
  scenarioId: ({ need }) => need('studyId'),
  webhookId: async ({ service, need }) => {
    // Subscribes to an event that does not happen by itself.
    const webhook = { name: 'fixture', url: await service.demoUrl(), events: ['server.healthy'] };
    return idOf(service.post(`/projects/${await need('projectId')}/webhooks`, webhook));
  },
  deliveryId: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/webhooks/${await need('webhookId')}/test`;
    return (await service.post(path)).body.id as string;
  },
  memberIdOrEmail: async () => 'fixture@example.com',
  windowId: async () => 'win_20260105',
  shareKind: async () => 'evalRun',
  targetId: ({ need }) => need('runId'),
  serverGroupId: async ({ service, need }) => {
    const group = { name: 'fixture', serverIds: [await need('serverId')] };
    return idOf(service.post(`/projects/${await need('projectId')}/server-groups`, group));
  },
  ingestRunId: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/eval-ingest/runs/start`;
    return (await service.post(path, { suiteName: 'fixture' })).body.runId as string;
  },
  conformanceRunId: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/conformance-ingest/report`;
    const report = { outcome: 'failed', groups: [{ id: 'g', cases: [{ id: 'c', status: 'failed' }] }] };
    const run = { target: { kind: 'external' }, suiteKind: 'protocol', report };
    return (await service.post(path, run)).body.runId as string;
  },
  conformanceIngestRunId: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/conformance-ingest/runs/start`;
    const run = { target: { kind: 'external' }, requestedSuites: ['protocol'] };
    return (await service.post(path, run)).body.runId as string;
  },
  idempotencyKey: async () => newId('key'),
  sessionId: async ({ service, need }) => {
    const { body } = await service.post('/chat-sessions/messages', {
      idempotencyKey: newId('key'),
      projectId: await need('projectId'),
      modelId: 'drydock/rehearsal',
      message: 'A fixture',
    });
    return body.sessionId as string;
  },
  browserSessionId: async ({ service, need }) => sleepingBrowser(service, await need('projectId')),
  waiverId: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/eval-runs/${await need('runId')}/gate-waivers`;
    const { body } = await service.post(path, { reason: 'fixture', expiresAt: Date.now() + 86_400_000 });
    return body.waiver.id as string;
  },
  iterationId: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/eval-runs/${await need('runId')}/iterations`;
    return (await service.get(path)).body.items[0].id as string;
  },
  storageId: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/eval-ingest/artifacts`;
    const options = {
      body: Buffer.from('<testsuite><testcase name="fixture"/></testsuite>'),
      headers: { 'content-type': 'text/html' },
    };
    return (await service.request('POST', path, options)).body.storageId as string;
  },
  uploadToken: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/eval-ingest/artifacts/upload-url`;
    return tokenIn((await service.post(path, {})).body.uploadUrl);
  },
  linkToken: async ({ service, need }) => {
    const path = `/projects/${await need('projectId')}/eval-ingest/artifacts/${await need('storageId')}/link`;
    return tokenIn((await service.post(path)).body.url);
  },
  artifactToken: async ({ service, need }) => {
    const { artifacts } = service.running.services;
    return artifacts.make(await need('storageId'), Date.now() + 3_600_000);
  },
  connectionRequestId: async ({ service, need }) => {
    const request = { url: 'http://127.0.0.1:1/mcp', projectId: await need('projectId') };
    const earlier = openRequests.get(service) ?? [];
    openRequests.set(service, earlier);
    let answer = await service.post('/server-connections', request);
    // An account may have five open requests. The oldest one is no longer used, and may have ended already.
    while (answer.status === 409 && earlier.length > 0) {
      await service.post(`/server-connections/${earlier.shift()}/cancel`);
      answer = await service.post('/server-connections', request);
    }
    const id = answer.body.connectionRequestId as string;
    earlier.push(id);
    return id;
  },
  memberId: async ({ service }) => (await service.member('member')).userId,
  memberEmail: async ({ service, need }) => {
    const userId = await need('memberId');
    await givePassword(service, userId);
    return (await service.db.row(users.list, { idOrEmail: userId }))?.email as string;
  },
  projectMemberId: async ({ service, need }) => {
    const { userId } = await service.member('member');
    await setMember(service.db, { project: await need('projectId') }, { user: userId, role: 'member' });
    return userId;
  },
  consoleLink: async ({ service, need }) =>
    (await createConsoleLink(service.db, await need('memberId'))).token,
  keyId: async ({ service, need }) => {
    const owner = { organization: await need('organizationId'), user: await makerOf(service) };
    return (await createKey(service.db, { ...owner, name: 'fixture' })).id;
  },
  invitationId: async ({ service, need }) => {
    const organizationId = await need('organizationId');
    const invitation = { kind: 'invitation', email: `${newId('i')}@example.com`, role: 'member' } as const;
    const maker = await makerOf(service);
    return (await makeLink(service.db, { ...invitation, organizationId }, maker, Date.now())).id;
  },
  signInId: ({ service }) => signInOf(service),
  identityId: ({ service }) => identityOf(service),
};

/** A session of the maker. */
export async function signInOf(service: TestService): Promise<string> {
  const { people } = await signedIn(service, await makerOf(service));
  return ((await people.getSession()) as { sessionId: string }).sessionId;
}

/** One of two identities of the maker, who can still sign in without it. */
export async function identityOf(service: TestService): Promise<string> {
  const userId = await makerOf(service);
  const [id, other] = [newId('idn'), newId('idn')];
  for (const one of [id, other])
    await service.db.run(identities.insert, {
      id: one,
      issuer: 'https://login.example',
      subject: one,
      userId,
    });
  return id;
}

async function makerOf(service: TestService): Promise<string> {
  return (await service.get('/me')).body.id as string;
}

function tokenIn(url: string): string {
  return url.split('/').at(-1) as string;
}

export async function makeClient(service: TestService, projectId: string, name: string): Promise<string> {
  return idOf(service.post(`/projects/${projectId}/clients`, { name, template: 'claude' }));
}

export async function within(
  service: TestService,
  statement: string,
  values: unknown[],
): Promise<Record<string, string>> {
  // Uses a connection of the service, because opening one takes longer than the statement.
  await (service.db as Database).pool.query(statement, values);
  return {};
}

/** Clears the use of budgets, some of which are limited per minute. */
export function forgetSpending(service: TestService): Promise<Record<string, string>> {
  return within(service, `delete from ledger_entries where budget <> 'credits'`, []);
}

/** Ends and ages readiness runs: an organization may have few in progress, and few per day. */
export function roomForReadiness(service: TestService): Promise<Record<string, string>> {
  return within(
    service,
    `update readiness_runs set created_at = created_at - interval '2 days',
       status = case when status in ('pending', 'running') then 'cancelled' else status end
     where status in ('pending', 'running') or created_at > now() - interval '1 day'`,
    [],
  );
}

const skillText = Buffer.from('---\nname: fixture\ndescription: For tests\n---\nDo nothing.\n');

const openRequests = new WeakMap<TestService, string[]>();

/** Addresses in examples. Nothing is ever sent there. */
const unreal = /https:\/\/(?:weather\.example\.com\/mcp|ci\.example\.com\/hooks\/drydock)/g;

/** The body with existing resources instead of placeholders. */
export function realThings(body: Buffer, url: string, parameters: Record<string, string>): Buffer {
  // Byte for byte, because a body need not be text.
  return Buffer.from(aboutReal(body.toString('latin1'), url, parameters), 'latin1');
}

/** The example of an operation with existing resources instead of placeholders. */
export async function exampleFor(
  service: TestService,
  { example }: Operation,
  parameters: Record<string, string>,
): Promise<unknown> {
  return JSON.parse(aboutReal(JSON.stringify(example ?? {}), await service.demoUrl(), parameters));
}

function aboutReal(text: string, url: string, parameters: Record<string, string>): string {
  return text
    .replaceAll(unreal, url)
    .replaceAll(/\{(\w+)\}/g, (open, name: string) =>
      Object.hasOwn(parameters, name) ? (parameters[name] as string) : open,
    );
}

/** The parameters that the path and the example of an operation need. */
export function parametersOf({ path, example }: Operation): string[] {
  return [...new Set(paramNames(path + JSON.stringify(example ?? {})))];
}

/** The parameters of all operations. */
export const everyParameter = [...new Set(everyOperation.flatMap(parametersOf))];

/** Creates the resources of these path parameters as the first owner, all belonging together. */
export async function makeParameters(
  service: TestService,
  names: readonly string[],
  visibility: 'public' | 'private' = 'public',
): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  const need = async (name: string): Promise<string> => {
    const make = makers[name];
    if (!make)
      throw new Error(
        `No test knows how to make a {${name}}. Say how in the table of test/support/path-parameters.ts`,
      );
    return (made[name] ??= await make({ service, visibility, need }));
  };
  for (const name of names) await need(name);
  return made;
}

export function fillPath(path: string, parameters: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? name);
}

export async function idOf(answer: ReturnType<TestService['request']>): Promise<string> {
  const { status, text, body } = await answer;
  if (status !== 201) throw new Error(`A fixture was not made: ${status} ${text}`);
  return body.id as string;
}
