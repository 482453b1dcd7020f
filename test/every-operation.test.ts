import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { operationList } from '../src/contract/index.ts';
import { isSafe, isWrite, jsonAnswer, type Operation, streamedAnswer } from '../src/contract/operation.ts';
import { openApiDocument } from '../src/surfaces/openapi/document.ts';
import { arrange, isArranged } from './support/arrangements.ts';
import { consolePrincipals } from './support/console-principals.ts';
import { baseOf, everyOperation, isOfConsole, refusedHere } from './support/every-operation.ts';
import { isSoak } from './support/long.ts';
import { exampleFor, fillPath, makeParameters, parametersOf } from './support/path-parameters.ts';
import type { Caller, Principal } from './support/principals.ts';
import { browserSetting } from './support/programs.ts';
import { type Case, principals, type Round, roundsOf, type Visibility } from './support/rounds.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { snapshotOf, textOf } from './support/snapshot.ts';
import { steady } from './support/steady.ts';
import {
  type Asked,
  type Came,
  cameOf,
  nobodysKey,
  otherSurfaces,
  type Surface,
} from './support/surfaces.ts';

let service: TestService;
let database: pg.Client;
const callers = new Map<Principal, Caller>();
const { paths } = openApiDocument('', 'test');

beforeAll(async () => {
  // Without a worker, only the requests write.
  service = await startTestService({
    worker: false,
    env: { ...browserSetting, DRYDOCK_TRUSTED_PROXIES: '127.0.0.0/8' },
  });
  database = await service.database.connect();
  for (const principal of [...principals, ...consolePrincipals])
    callers.set(principal, await principal.call(service));
});
afterAll(async () => {
  await database?.end();
  await dispose(service);
});

test.each(operationList.filter(({ alias }) => alias))(
  '$id is for the same people as the operation that it is another name of',
  ({ alias, access, feature, readOnly }) => {
    const named = operationList.find(({ id }) => id === alias?.of);
    expect({ access, feature, readOnly }).toEqual({
      access: named?.access,
      feature: named?.feature,
      readOnly: named?.readOnly,
    });
  },
);

describe.each(everyOperation)('$id ($access)', (operation) => {
  const rounds = roundsOf(operation);
  const of = (wanted: Visibility): Round[] => rounds.filter(({ visibility }) => visibility === wanted);
  // A public project covers most refusals; the long lane repeats the test in a private one.
  test.each(of('public'))('$title', async (round) => {
    const { asked, answers } = await takeRound(operation, round);
    if (isOfConsole(operation)) return;
    expect(paths[operation.path]?.[operation.method.toLowerCase()]?.operationId).toBe(operation.id);
    await expectAlike(operation, round, asked, answers);
    await expectRefusedAlike(operation, asked);
  });
  test.each(of('private'))('$title', { tags: ['long'] }, async (round) => {
    expect.hasAssertions();
    await takeRound(operation, round);
  });
});

/** Calls an operation over HTTP as every caller of the round. */
async function takeRound(
  operation: Operation,
  { visibility, refused, served }: Round,
): Promise<{ asked: Asked; answers: Answer[] }> {
  const main = mainOf(served);
  const sent = await headersOf([...refused, ...served]);
  const asked = await askedOf(operation, visibility, keyOf(main && sent.get(main.principal)));
  // A snapshot of all tables takes longer than the calls, so it is taken only if a caller is refused.
  const state = async () => (refused.length > 0 ? snapshotOf(database) : undefined);
  const before = await state();
  const answersTo = (cases: Case[]) =>
    Promise.all(
      cases.map(async ({ principal, status }) => {
        const answer = await call(sent.get(principal), operation, asked);
        expectDiscreet(principal, sent.get(principal), answer, status);
        return answer;
      }),
    );
  const refusals = await answersTo(refused);
  expect(refusals.map(({ body }, at) => ({ to: refused[at]?.principal.name, ...body }))).toEqual(
    refused.map(expectedAnswer),
  );
  expect(await state()).toEqual(before);
  const lacking = refusedHere(operation);
  const answers = await answersTo(served);
  for (const answer of answers) {
    expect(lacking ? answer.body : {}).toMatchObject(lacking ?? {});
    if (lacking) continue;
    expectAnswer(operation, answer);
    expect(await isAudited(answer)).toBe(isWrite(operation));
  }
  return { asked, answers };
}

function expectedAnswer({ principal, refusal }: Case): object {
  return {
    to: principal.name,
    code: refusal?.code,
    message: expect.stringContaining(refusal?.message ?? ''),
    ...(refusal?.details && { details: refusal.details }),
  };
}

/** The served case whose answer the other surfaces must repeat. */
function mainOf(served: Case[]): Case | undefined {
  return served.find(({ principal }) => principal.standing === 'maker') ?? served[0];
}

/** Other surfaces answer like HTTP: all of them for safe operations, one of them in turn for writes. */
async function expectAlike(
  operation: Operation,
  { served }: Round,
  asked: Asked,
  answers: Answer[],
): Promise<void> {
  const main = mainOf(served);
  const answer = main && answers[served.indexOf(main)];
  if (!answer) throw new Error(`Nobody is served ${operation.id}`);
  const wanted = steady(cameOf(operation, answer));
  for (const [name, surface] of surfacesFor(operation)) {
    const again = isSafe(operation) ? asked : await askedOf(operation, 'public', asked.key);
    expect({ [name]: steady(await surface(service, operation, again)) }).toEqual({ [name]: wanted });
  }
}

function surfacesFor(operation: Operation): [name: string, surface: Surface][] {
  const all = Object.entries(otherSurfaces);
  const turn = operationList.indexOf(operation) % all.length;
  return isSafe(operation) || isSoak ? all : all.slice(turn, turn + 1);
}

/** An unknown resource, or an unknown key where the path names none, is refused alike on every surface. */
async function expectRefusedAlike(operation: Operation, asked: Asked): Promise<void> {
  const last = operation.params.at(-1);
  const wrong: Asked =
    last === undefined
      ? { ...asked, key: nobodysKey }
      : { ...asked, params: { ...asked.params, [last]: `nowhere_${'0'.repeat(26)}` } };
  const isOpen = operation.access === 'public' && last === undefined;
  const wanted = cameOf(operation, await call({ authorization: `Bearer ${wrong.key}` }, operation, wrong));
  expect(Object.keys(wanted)).toEqual([isOpen ? 'answer' : 'refusal']);
  for (const [name, surface] of Object.entries(otherSurfaces)) {
    // An agent needs a key even for public operations.
    if (name === 'MCP' && isOpen) continue;
    const came: Came = await surface(service, operation, wrong);
    expect({ [name]: came }).toEqual({ [name]: wanted });
  }
}

const filtering = operationList.filter(
  ({ query, params }) => query && 'projectId' in query.shape && params.length === 0,
);

describe.each(filtering)('$id asked about a project', (operation) => {
  test.each(roundsOf({ ...operation, access: 'project member' }))('$title', async (round) => {
    const { projectId } = await fixtureFor({ ...operation, path: '/{projectId}' }, round.visibility);
    const statuses = [];
    const cases = [...round.refused, ...round.served];
    const sent = await headersOf(cases);
    for (const { principal } of cases)
      statuses.push(
        (await call(sent.get(principal), operation, {}, `${operation.path}?projectId=${projectId}`)).status,
      );
    expect(statuses).toEqual(cases.map(({ status }) => status));
  });
});

const readOnly = new Map<string, Promise<Record<string, string>>>();

/** The example request of an operation, with resources that exist. */
async function askedOf(operation: Operation, visibility: Visibility, key: string): Promise<Asked> {
  const params = await fixtureFor(operation, visibility);
  const { body, upload, example } = operation;
  if (upload && !example) return { params, key, bytes: Buffer.from('<p>fixture</p>') };
  const sent = body || upload ? await exampleFor(service, operation, params) : undefined;
  return { params, key, ...(upload ? { bytes: Buffer.from(JSON.stringify(sent)) } : { body: sent }) };
}

/** The key of a caller, or the maker's for one without a key, as in the console. */
function keyOf({ authorization }: Headers = {}): string {
  return authorization?.split(' ')[1] ?? service.key;
}

/** Resources for an operation: new ones for writes and prepared states, shared ones for all other reads. */
async function fixtureFor(operation: Operation, visibility: Visibility): Promise<Record<string, string>> {
  const names = parametersOf(operation).toSorted();
  const watches = streamedAnswer(operation.response)?.kind === 'events';
  // An account can have few open connection requests, so older ones soon end.
  if (!isSafe(operation) || isArranged(operation) || watches || names.includes('connectionRequestId')) {
    const parameters = await arrange(service, operation, await makeIn(visibility, names));
    if (watches) await end(parameters);
    return parameters;
  }
  const key = [visibility, ...names].join();
  const made = readOnly.get(key) ?? makeIn(visibility, names);
  readOnly.set(key, made);
  return made;
}

/** Ends the watched resources, so that their streams end. */
async function end({
  projectId,
  runId,
  journeyRunId,
  connectionRequestId,
}: Record<string, string>): Promise<void> {
  const project = `/projects/${projectId}`;
  if (journeyRunId !== undefined) await service.post(`${project}/journey-runs/${journeyRunId}/cancel`);
  if (runId !== undefined) await service.post(`${project}/eval-runs/${runId}/cancel`);
  if (connectionRequestId !== undefined)
    await service.post(`/server-connections/${connectionRequestId}/cancel`);
}

/** Resources in a project where each principal has the role that its name says. */
async function makeIn(visibility: Visibility, names: string[]): Promise<Record<string, string>> {
  const parameters = await makeParameters(service, names, visibility);
  const project = parameters['projectId'];
  if (project !== undefined) {
    const invited = [...callers].filter(([{ projectRole }]) => projectRole && visibility === 'private');
    await database.query(
      'insert into project_members (project_id, user_id, role) select $1, * from unnest($2::text[], $3::text[])',
      [project, invited.map(([, { userId }]) => userId), invited.map(([{ projectRole }]) => projectRole)],
    );
  }
  return parameters;
}

type Headers = Record<string, string>;

/** The foreign host name in every API request. No answer and no row repeats it. */
const strangeHost = 'strange.example';

/** Made before the first snapshot, because signing in writes. */
async function headersOf(cases: Case[]): Promise<Map<Principal, Headers>> {
  return new Map(
    await Promise.all(
      cases.map(
        async ({ principal }) => [principal, (await callers.get(principal)?.headers()) ?? {}] as const,
      ),
    ),
  );
}

function call(
  headers: Headers = {},
  operation: Operation,
  { params = {}, body, bytes }: Partial<Asked>,
  path = fillPath(operation.path, params),
): Promise<Answer> {
  return service.request(operation.method, path, {
    key: null,
    body: bytes ?? body,
    base: baseOf(operation),
    headers: {
      ...headers,
      ...(bytes && { 'content-type': 'text/html' }),
      // Console sessions are refused under a foreign host name.
      ...(!isOfConsole(operation) && !headers['cookie'] && { 'x-forwarded-host': strangeHost }),
    },
  });
}

function expectAnswer({ response }: Operation, answer: Answer): void {
  const streamed = streamedAnswer(response);
  const schema = streamed?.kind === 'events' ? streamed.event : (jsonAnswer(response) ?? z.undefined());
  expect(schema.safeParse(answer.body).error).toBeUndefined();
  expect(answer.text).not.toBe('');
}

/** Whether the audit log has an entry for the request. */
async function isAudited(answer: Answer): Promise<boolean> {
  const { rows } = await database.query('select action from audit_events where request_id = $1', [
    answer.headers.get('x-request-id'),
  ]);
  return rows.length > 0;
}

/** The status, a request ID, and no trace of the key or cookie that was sent. */
function expectDiscreet(
  principal: Principal,
  headers: Headers | undefined,
  answer: Answer,
  status: number,
): void {
  const said = `${answer.status} ${answer.text}`;
  expect(`${principal.name}: ${said}`).toMatch(new RegExp(`^${principal.name}: ${status} `));
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  const everything = answer.text + JSON.stringify([...answer.headers]);
  for (const secret of [...secretsIn(headers), strangeHost]) expect(everything).not.toContain(secret);
}

const shown = new Set<string>();

function secretsIn({ authorization, cookie }: Headers = {}): string[] {
  const secrets = [authorization?.split(' ')[1], cookie?.split('=')[1]].filter((one) => one !== undefined);
  for (const secret of secrets) shown.add(secret);
  return secrets;
}

test('a parameter that no fixture exists for is named', async () => {
  await expect(makeParameters(service, ['moonId'])).rejects.toThrow('how to make a {moonId}');
});

test('the host that callers named is nowhere in the database', async () => {
  expect(await textOf(database)).not.toContain(strangeHost);
});

test('no key and no token of a session ends up in the log', () => {
  const log = service.logs.join('');
  expect([...shown].filter((secret) => log.includes(secret))).toEqual([]);
  expect(shown.size).toBeGreaterThan(principals.length);
});
