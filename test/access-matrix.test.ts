import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { statusOfCode } from '../src/contract/errors.ts';
import { operationList } from '../src/contract/index.ts';
import { isWrite, jsonAnswer, type Operation, streamedAnswer } from '../src/contract/operation.ts';
import { setMember } from '../src/domain/operator/members.ts';
import { arrange, exampleFor, fillPath, makeParameters, parametersOf } from './support/path-parameters.ts';
import { type Caller, expectedRefusal, type Principal, principals } from './support/principals.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { snapshotOf } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
const callers = new Map<Principal, Caller>();

beforeAll(async () => {
  // Without a worker nothing but the requests writes.
  service = await startTestService({ worker: false });
  database = await service.database.connect();
  for (const principal of principals) callers.set(principal, await principal.call(service));
});
afterAll(async () => {
  await database?.end();
  await dispose(service);
});

describe.each(operationList)('$id ($access)', (operation) => {
  const cases = casesOf(operation);

  test.each(cases.filter(({ refusal }) => !refusal))('$title', async ({ principal, status }) => {
    const parameters = await arrange(
      service,
      operation,
      await fixtureFor(principal, parametersOf(operation)),
    );
    const path = fillPath(operation.path, parameters);
    const answer = await call(principal, operation, path, await bodyFor(operation, parameters));
    expect(answer.status).toBe(status);
    expectDiscreet(principal, answer, status);
    expectAnswer(operation, answer);
    if (isWrite(operation)) await expectAudited(answer);
  });

  test.each(cases.filter(({ refusal }) => refusal))('$title', async ({ principal, refusal, status }) => {
    const parameters = await arrange(
      service,
      operation,
      await fixtureFor(principal, parametersOf(operation)),
    );
    const path = fillPath(operation.path, parameters);
    const before = await snapshotOf(database);
    const answer = await call(principal, operation, path, await bodyFor(operation, parameters));
    expectDiscreet(principal, answer, status);
    expect(answer.body).toEqual({
      code: refusal?.code,
      message: expect.stringContaining(refusal?.message ?? ''),
      ...(refusal?.details && { details: refusal.details }),
    });
    expect(await snapshotOf(database)).toEqual(before);
  });
});

const filtering = operationList.filter(({ query }) => query && 'projectId' in query.shape);

describe.each(filtering)('$id asked about a project', (operation) => {
  test.each(casesOf({ ...operation, access: 'project member' }))('$title', async ({ principal, status }) => {
    const { projectId } = await fixtureFor(principal, ['projectId']);
    const answer = await call(principal, operation, `${operation.path}?projectId=${projectId}`);
    expect(answer.status).toBe(status);
  });
});

function casesOf(operation: Operation) {
  return principals.map((principal) => {
    const refusal = expectedRefusal(operation, principal);
    const status = refusal ? statusOfCode[refusal.code] : operation.status;
    return { principal, refusal, status, title: `${operation.id} as ${principal.name} -> ${status}` };
  });
}

/** Fresh things for these parameters, in a project where the principal is what its name says. */
async function fixtureFor(principal: Principal, names: string[]): Promise<Record<string, string>> {
  const parameters = await makeParameters(service, names, principal.visibility);
  const project = parameters['projectId'];
  if (project === undefined) return parameters;
  onTestFinished(async () => void (await service.delete(`/projects/${project}`)));
  const { userId: user } = callers.get(principal) as Caller;
  if (principal.projectRole && user !== undefined)
    await setMember(service.db, { project }, { user, role: principal.projectRole });
  return parameters;
}

function call(
  principal: Principal,
  { method, upload }: Operation,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const { authorization } = callers.get(principal) as Caller;
  return service.request(method, path, {
    key: null,
    body,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(upload && { 'content-type': 'text/html' }),
    },
  });
}

async function bodyFor(operation: Operation, parameters: Record<string, string>): Promise<unknown> {
  if (operation.upload) return Buffer.from('<p>fixture</p>');
  return operation.body && exampleFor(service, operation, parameters);
}

function expectAnswer({ response }: Operation, answer: Answer): void {
  const streamed = streamedAnswer(response);
  const schema = streamed?.kind === 'events' ? streamed.event : (jsonAnswer(response) ?? z.undefined());
  expect(schema.safeParse(answer.body).error).toBeUndefined();
  expect(answer.text).not.toBe('');
}

/** Who did what is written down with what was done. */
async function expectAudited(answer: Answer): Promise<void> {
  const { rows } = await database.query('select action from audit_events where request_id = $1', [
    answer.headers.get('x-request-id'),
  ]);
  expect(rows).not.toEqual([]);
}

/** The status, a request id, and nothing of the key that was sent. */
function expectDiscreet(principal: Principal, answer: Answer, status: number): void {
  expect(`${answer.status} ${answer.text}`).toMatch(new RegExp(`^${status} `));
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  const everything = answer.text + JSON.stringify([...answer.headers]);
  expect(everything).not.toContain(callers.get(principal)?.authorization?.split(' ')[1] ?? '\0');
}

test('a parameter that no fixture exists for is named', async () => {
  await expect(makeParameters(service, ['moonId'])).rejects.toThrow('how to make a {moonId}');
});

test('no key ends up in the log', () => {
  const tokens = [...callers.values()].flatMap(({ authorization }) => authorization?.split(' ')[1] ?? []);
  const log = service.logs.join('');
  expect(tokens.filter((token) => log.includes(token))).toEqual([]);
});
