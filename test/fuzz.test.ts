import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import type { Operation } from '../src/contract/operation.ts';
import { FuzzRun } from './support/fuzz-run.ts';
import { telltale } from './support/hostile.ts';
import { hostileRequests } from './support/hostile-requests.ts';
import { brokenMessages, damagedMessages } from './support/malformed.ts';
import { everyParameter, fillPath, makeParameters } from './support/path-parameters.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

const seed = Number(process.env['DRYDOCK_TEST_FUZZ_SEED'] ?? 4700);
const requests = Number(process.env['DRYDOCK_TEST_FUZZ_RUNS'] ?? 2_000);
const messages = Math.ceil(requests / 50);
const lanes = 16;
const patience = 120_000 + requests * 60;

let service: TestService;
let run: FuzzRun;
let control: Record<string, string>;
let controlBefore: string;
let cursors: { path: string; cursor: string }[];

beforeAll(async () => {
  service = await startTestService();
  // What the start has to say, as that commands run as root, is no answer to a request.
  service.logs.length = 0;
  run = await FuzzRun.open(service, 4);
  control = await makeParameters(service, everyParameter);
  await overRun();
  cursors = await realCursors();
  controlBefore = await controlState();
});
afterAll(async () => {
  run?.wire.close();
  await dispose(service);
});

describe(`with seed ${seed}`, () => {
  test(`${requests} hostile requests get answers the contract allows`, { timeout: patience }, async () => {
    const shoot = (count: number, operations: readonly Operation[]) =>
      inLanes(
        count,
        fc.asyncProperty(
          hostileRequests(
            operations,
            cursors.map(({ cursor }) => cursor),
          ),
          (shot) => run.sendAndJudge(shot),
        ),
      );
    await shoot(requests, operationList);
    // An operation that by chance got no request it could serve gets some of its own.
    for (const operation of unreached()) await shoot(200, [operation]);
    expect(unreached().map(({ id }) => id)).toEqual([]);
  });

  test(`${messages} damaged messages are refused or answered, and the connection ends`, {
    timeout: patience,
  }, async () => {
    await inLanes(
      messages,
      fc.asyncProperty(damagedMessages(service.key), ({ bytes }) => run.sendBytesAndJudge(bytes)),
    );
    expect((await service.get('/me')).status).toBe(200);
  });
});

test('so is every known way to break a message', async () => {
  await Promise.all(brokenMessages(service.key).map((bytes) => run.sendBytesAndJudge(bytes)));
  expect((await service.get('/me')).status).toBe(200);
});

test('a cursor altered in any one character is refused, and so is one of another list', async () => {
  expect(cursors.length).toBeGreaterThan(1);
  for (const { path, cursor } of cursors) {
    const page = (changed: string) => service.get(`${path}?limit=1&cursor=${changed}`);
    expect((await page(cursor)).status).toBe(200);
    for (let at = 0; at < cursor.length; at++) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(await page(changed)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    }
    for (const other of cursors.filter((one) => one.path !== path))
      expect((await page(other.cursor)).status).toBe(400);
  }
});

test('what was not the target is as it was, and the service goes on', async () => {
  expect(await controlState()).toBe(controlBefore);
  expect((await service.get('/me')).status).toBe(200);
  expect({}).not.toHaveProperty('polluted');
});

test('no log line holds a secret, and none tells of a failure', () => {
  const suspicious = service.logs.filter(
    (line) => line.includes(telltale) || line.includes(service.key) || !/"level":"(?:debug|info)"/.test(line),
  );
  expect(suspicious).toEqual([]);
});

/** Whoever is told of a conflict came as far as the state of things; which state it is depends on the lanes. */
function unreached(): Operation[] {
  return operationList.filter(
    ({ id, status }) => !(run.tally.get(id)?.has(status) || run.tally.get(id)?.has(409)),
  );
}

/** Runs a property in lanes at once; each finds and shrinks its own counterexample. */
async function inLanes<T>(runs: number, property: fc.IAsyncProperty<T>): Promise<void> {
  const numRuns = Math.ceil(runs / lanes);
  const outcomes = await Promise.allSettled(
    Array.from({ length: lanes }, (_, lane) => fc.assert(property, { seed: seed + lane, numRuns })),
  );
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

/** From every list of the contract that can be given a second page. */
async function realCursors(): Promise<{ path: string; cursor: string }[]> {
  const lists = operationList.filter(
    ({ query, method }) => method === 'GET' && query && 'cursor' in query.shape,
  );
  const pages = await Promise.all(
    lists.map(async (operation) => {
      const path = fillPath(operation.path, control);
      const create = operationList.find((other) => other.method === 'POST' && other.path === operation.path);
      if (create) await service.post(path, create.example);
      const { body } = await service.get(`${path}?limit=1`);
      return { path, cursor: body.nextCursor as string | undefined };
    }),
  );
  return pages.filter((page): page is { path: string; cursor: string } => page.cursor !== undefined);
}

/** The run among the fixtures goes on by itself; it is no state before it is over. */
async function overRun(): Promise<void> {
  const path = fillPath('/projects/{projectId}/eval-runs/{runId}', control);
  while (/pending|running/.test((await service.get(path)).body.status)) await nextTurn();
}

/** Everything that can be read about the control project. */
async function controlState(): Promise<string> {
  const reads = operationList.filter(({ method, path }) => method === 'GET' && path.includes('{projectId}'));
  const answers = await Promise.all(reads.map(({ path }) => service.get(fillPath(path, control))));
  // When something was worked out is no state.
  return answers.map(({ text }) => text.replace(/"computedAt":\d+/, '')).join('\n');
}
