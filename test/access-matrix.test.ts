import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { statusOfCode } from '../src/contract/errors.ts';
import { operationList } from '../src/contract/index.ts';
import { isWrite, jsonAnswer, type Operation, streamedAnswer } from '../src/contract/operation.ts';
import { arrange, isArranged } from './support/arrangements.ts';
import { consolePrincipals, expectedInConsole, inTheConsole } from './support/console-principals.ts';
import { baseOf, everyOperation, isOfConsole, refusedHere } from './support/every-operation.ts';
import { isSoak } from './support/long.ts';
import { exampleFor, fillPath, makeParameters, parametersOf } from './support/path-parameters.ts';
import { type Caller, expectedRefusal, principals as keys, type Principal } from './support/principals.ts';
import { browserSetting } from './support/programs.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { snapshotOf, textOf } from './support/snapshot.ts';

const principals = [...keys, inTheConsole];

let service: TestService;
let database: pg.Client;
const callers = new Map<Principal, Caller>();

beforeAll(async () => {
  // Without a worker nothing but the requests writes.
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

// An alias enters the same operation.
const ownNames = everyOperation.filter(({ alias }) => !alias);

describe.each(ownNames)('$id ($access)', (operation) => {
  const rounds = roundsOf(operation);
  const of = (wanted: Visibility): Round[] => rounds.filter(({ visibility }) => visibility === wanted);
  // In a public project most callers meet a refusal; the longer lane repeats it in a private one.
  test.each(of('public'))('$title', async (round) => {
    expect.hasAssertions();
    await takeRound(operation, round);
  });
  test.each(of('private'))('$title', { tags: ['long'] }, async (round) => {
    expect.hasAssertions();
    await takeRound(operation, round);
  });
});

async function takeRound(operation: Operation, { visibility, refused, served }: Round): Promise<void> {
  const parameters = await fixtureFor(operation, visibility);
  const path = fillPath(operation.path, parameters);
  const body = await bodyFor(operation, parameters);
  const sent = await headersOf([...refused, ...served]);
  // Looking at every table takes longer than asking, so it is done where somebody is refused.
  const state = async () => (refused.length > 0 ? snapshotOf(database) : undefined);
  const before = await state();
  const answers = (cases: Case[]) =>
    Promise.all(
      cases.map(async ({ principal, status }) => {
        const answer = await call(sent.get(principal), operation, path, body);
        expectDiscreet(principal, sent.get(principal), answer, status);
        return { to: principal.name, answer };
      }),
    );
  const refusals = (await answers(refused)).map(({ to, answer }) => ({ to, ...answer.body }));
  expect(refusals).toEqual(refused.map(expectedAnswer));
  expect(await state()).toEqual(before);
  const lacking = refusedHere(operation);
  for (const { answer } of await answers(served)) {
    expect(lacking ? answer.body : {}).toMatchObject(lacking ?? {});
    if (lacking) continue;
    expectAnswer(operation, answer);
    expect(await isAudited(answer)).toBe(isWrite(operation));
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
        (await call(sent.get(principal), operation, `${operation.path}?projectId=${projectId}`)).status,
      );
    expect(statuses).toEqual(cases.map(({ status }) => status));
  });
});

type Visibility = 'public' | 'private';

interface Case {
  principal: Principal;
  refusal: ReturnType<typeof expectedRefusal>;
  status: number;
}

/** Callers who meet the same things: all whom a refusal turns away, then those served, one where it would change them. */
interface Round {
  title: string;
  visibility: Visibility;
  refused: Case[];
  served: Case[];
}

function roundsOf(operation: Operation): Round[] {
  return (['public', 'private'] as const).flatMap((visibility) => {
    const everybody = isOfConsole(operation) ? consolePrincipals : principals;
    const expected = isOfConsole(operation) ? expectedInConsole : expectedRefusal;
    const cases = everybody
      .filter((principal) => (principal.visibility ?? 'public') === visibility)
      .map((principal): Case => {
        const refusal = expected(namingProject(operation), principal);
        const code = refusal?.code ?? refusedHere(operation)?.code;
        return { principal, refusal, status: code ? statusOfCode[code] : operation.status };
      });
    const refused = cases.filter(({ refusal }) => refusal);
    const served = cases.filter(({ refusal }) => !refusal);
    const turns = isWrite(operation) && served.length > 0 ? turnsOf(operation, visibility, served) : [served];
    return turns.map((turn, index) => ({
      title: titleOf(visibility, index === 0 ? refused : [], turn),
      visibility,
      refused: index === 0 ? refused : [],
      served: turn,
    }));
  });
}

const turnsTaken = new Map<string, number>();

/**
 * Those who write, each in a project of its own. Who may is decided in one place by the access of an operation, so
 * those of one access take turns: each writes with many operations, one with each.
 */
function turnsOf({ access }: Operation, visibility: Visibility, served: Case[]): Case[][] {
  if (isSoak) return served.map((one) => [one]);
  const kind = `${visibility} ${access}`;
  const turn = turnsTaken.get(kind) ?? 0;
  turnsTaken.set(kind, turn + 1);
  return [[served[turn % served.length] as Case]];
}

/** What is sent to a project in the body is refused like what is asked of one in the path. */
function namingProject(operation: Operation): Operation {
  const { example, access } = operation;
  const named = access === 'key' && JSON.stringify(example ?? {}).includes('{projectId}');
  return named ? { ...operation, access: 'project member' } : operation;
}

function expectedAnswer({ principal, refusal }: Case): object {
  return {
    to: principal.name,
    code: refusal?.code,
    message: expect.stringContaining(refusal?.message ?? ''),
    ...(refusal?.details && { details: refusal.details }),
  };
}

function titleOf(visibility: Visibility, refused: Case[], served: Case[]): string {
  const names = served.map(({ principal }) => principal.name).join(', ');
  return [
    `in a ${visibility} project`,
    ...(refused.length > 0 ? [`refuses ${refused.length}`] : []),
    ...(names ? [`serves ${names}`] : []),
  ].join(', ');
}

const readOnly = new Map<string, Promise<Record<string, string>>>();

/** Things for an operation: fresh ones to change, the same for all that only read and start from nothing special. */
async function fixtureFor(operation: Operation, visibility: Visibility): Promise<Record<string, string>> {
  const names = parametersOf(operation).toSorted();
  // The account may have few open requests, so that an older one is soon over.
  if (isWrite(operation) || isArranged(operation) || names.includes('connectionRequestId'))
    return arrange(service, operation, await makeIn(visibility, names));
  const key = [visibility, ...names].join();
  const made = readOnly.get(key) ?? makeIn(visibility, names);
  readOnly.set(key, made);
  return made;
}

/** In a project where every principal is what its name says. */
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

/** What every request to the API calls the service. No answer and no row repeats it. */
const strangeHost = 'strange.example';

/** Made before anything is looked at: signing in writes. */
async function headersOf(cases: Case[]): Promise<Map<Principal, Headers>> {
  return new Map(
    await Promise.all(
      cases.map(
        async ({ principal }) => [principal, (await callers.get(principal)?.headers()) ?? {}] as const,
      ),
    ),
  );
}

function call(headers: Headers = {}, operation: Operation, path: string, body?: unknown): Promise<Answer> {
  const { method, upload } = operation;
  return service.request(method, path, {
    key: null,
    body,
    base: baseOf(operation),
    headers: {
      ...headers,
      ...(upload && { 'content-type': 'text/html' }),
      // Sessions of the console are refused under a name that is not ours.
      ...(!isOfConsole(operation) && !headers['cookie'] && { 'x-forwarded-host': strangeHost }),
    },
  });
}

async function bodyFor(operation: Operation, parameters: Record<string, string>): Promise<unknown> {
  if (operation.upload && !operation.example) return Buffer.from('<p>fixture</p>');
  return (operation.body ?? operation.upload) && exampleFor(service, operation, parameters);
}

function expectAnswer({ response }: Operation, answer: Answer): void {
  const streamed = streamedAnswer(response);
  const schema = streamed?.kind === 'events' ? streamed.event : (jsonAnswer(response) ?? z.undefined());
  expect(schema.safeParse(answer.body).error).toBeUndefined();
  expect(answer.text).not.toBe('');
}

/** Who did what is written down with what was done. */
async function isAudited(answer: Answer): Promise<boolean> {
  const { rows } = await database.query('select action from audit_events where request_id = $1', [
    answer.headers.get('x-request-id'),
  ]);
  return rows.length > 0;
}

/** The status, a request id, and nothing of the key or the cookie that was sent. */
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
