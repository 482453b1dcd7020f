// @module-tag long
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statusOfCode } from '../src/contract/errors.ts';
import type { Operation } from '../src/contract/operation.ts';
import type { Browser } from './support/browser.ts';
import { baseOf, everyOperation, isOfConsole, refusedHere } from './support/every-operation.ts';
import { FuzzRun } from './support/fuzz-run.ts';
import { telltale } from './support/hostile.ts';
import { hostileRequests } from './support/hostile-requests.ts';
import { isSoak } from './support/long.ts';
import { brokenMessages, damagedMessages } from './support/malformed.ts';
import { everyParameter, fillPath, makeParameters } from './support/path-parameters.ts';
import { signedIn } from './support/people.ts';
import { browserSetting } from './support/programs.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';

const seed = Number(process.env['DRYDOCK_TEST_FUZZ_SEED'] ?? 4700);
const requests = Number(process.env['DRYDOCK_TEST_FUZZ_RUNS'] ?? 200);
const messages = Math.ceil(requests / 50);
const lanes = 16;
const patience = 180_000 + requests * 60;

let service: TestService;
let run: FuzzRun;
let control: Record<string, string>;
let controlBefore: string;
/** A console session of an account that is no target. */
let tab: Browser;
let cursors: { list: Operation; cursor: string }[];

beforeAll(async () => {
  service = await startTestService({
    env: { DRYDOCK_CONSOLE_RATE_LIMIT: 'off', ...browserSetting },
  });
  // Drops messages of the start, such as the warning that commands run as root.
  service.logs.length = 0;
  run = await FuzzRun.open(service, 4);
  control = await makeParameters(service, everyParameter);
  tab = await signedIn(service, (await service.member('owner')).userId);
  await overRun();
  cursors = await realCursors();
  await overJourneys();
  await overDelivery();
  controlBefore = await controlState();
});
afterAll(async () => {
  run?.wire.close();
  await dispose(service);
});

describe(`with seed ${seed}`, () => {
  test(`${requests} hostile requests get answers the contract allows`, { timeout: patience }, async () => {
    const shoot = (count: number, operations: readonly Operation[], round = 0) =>
      inLanes(
        count,
        seed + round * lanes,
        fc.asyncProperty(
          hostileRequests(
            operations,
            cursors.map(({ cursor }) => cursor),
          ),
          (shot) => run.sendAndJudge(shot),
        ),
      );
    await shoot(requests, everyOperation);
    // An operation that could serve none of its random requests gets more, a few at a time until it does.
    for (let round = 1; round <= 64; round++)
      for (const operation of unreached()) await shoot(4, [operation], round);
    expect(unreached().map(({ id }) => id)).toEqual([]);
  });

  test(`${messages} damaged messages are refused or answered, and the connection ends`, {
    timeout: patience,
  }, async () => {
    await inLanes(
      messages,
      seed,
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
  // An alias has the same list.
  const lists = cursors.filter(({ list }) => list.alias === undefined);
  expect(lists.length).toBeGreaterThan(16);
  for (const [nth, { list, cursor }] of lists.entries()) {
    const page = (changed: string) => read(list, `?limit=1&cursor=${changed}`);
    expect((await page(cursor)).status).toBe(200);
    // Together the lists cover every position several times; in a soak run each list covers all of them.
    const step = isSoak ? 1 : 8;
    for (let at = nth % step; at < cursor.length; at += step) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(await page(changed)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    }
    const others = [...lists.slice(nth + 1), ...lists.slice(0, nth)];
    for (const other of isSoak ? others : others.slice(0, 4))
      expect((await page(other.cursor)).status).toBe(400);
  }
});

test('what was not the target is as it was, and the service goes on', async () => {
  expect(await controlState()).toBe(controlBefore);
  expect((await service.get('/me')).status).toBe(200);
  expect({}).not.toHaveProperty('polluted');
});

test('no log line holds a secret, and none tells of a failure', () => {
  // The confinement level is logged at the start, on a bare machine as a warning.
  const told = service.logs.filter((line) => !line.includes('"msg":"Confinement of commands: '));
  const suspicious = told.filter(
    (line) => line.includes(telltale) || line.includes(service.key) || !/"level":"(?:debug|info)"/.test(line),
  );
  expect(suspicious).toEqual([]);
});

/** Operations that were never served. A conflict counts as served: it depends on the order of lanes. */
function unreached(): Operation[] {
  return everyOperation.filter((operation) => {
    const { id, status } = operation;
    const answers = run.tally.get(id);
    return !(answers?.has(status) || answers?.has(409) || withoutProvider(id) || refusedHere(operation));
  });
}

/** Sign-in with a provider fails where none is configured. */
function withoutProvider(id: string): boolean {
  return /Oidc$/.test(id) && run.tally.get(id)?.has(statusOfCode.FEATURE_NOT_SUPPORTED) === true;
}

/** Reads with the key, or from a page of the console. */
function read(operation: Operation, query = ''): Promise<Answer> {
  const path = fillPath(operation.path, control) + query;
  if (!isOfConsole(operation)) return service.get(path);
  return tab.send(baseOf(operation) + path, { headers: { 'x-drydock-console': '1' } });
}

/** Runs a property in concurrent lanes; each finds and shrinks its own counterexample. */
async function inLanes<T>(runs: number, first: number, property: fc.IAsyncProperty<T>): Promise<void> {
  const length = Math.min(runs, lanes);
  const numRuns = Math.ceil(runs / length);
  const outcomes = await Promise.allSettled(
    Array.from({ length }, (_, lane) => fc.assert(property, { seed: first + lane, numRuns })),
  );
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

/** A cursor from every list of the contract that has a second page. */
async function realCursors(): Promise<typeof cursors> {
  const lists = everyOperation.filter(
    ({ query, method }) => method === 'GET' && query && 'cursor' in query.shape,
  );
  const pages = await Promise.all(
    lists.map(async (list) => {
      const create = everyOperation.find((other) => other.method === 'POST' && other.path === list.path);
      if (create && !isOfConsole(create)) await service.post(fillPath(list.path, control), create.example);
      const { body } = await read(list, '?limit=1');
      return { list, cursor: body.nextCursor as string | undefined };
    }),
  );
  return pages.filter((page): page is (typeof cursors)[0] => page.cursor !== undefined);
}

/** Waits until the run among the fixtures ends, because its state changes until then. */
async function overRun(): Promise<void> {
  const path = fillPath('/projects/{projectId}/eval-runs/{runId}', control);
  while (/pending|running/.test((await service.get(path)).body.status)) await nextTurn();
}

/** Waits until the journey runs, those among the cursors included, are graded. */
async function overJourneys(): Promise<void> {
  const path = fillPath('/projects/{projectId}/journeys/{journeyId}/runs', control);
  const open = async () =>
    (await service.get(path)).body.items.some((run: { verdictSummary?: object }) => !run.verdictSummary);
  while (await open()) await nextTurn();
}

/** Waits until the webhook delivery is decided. */
async function overDelivery(): Promise<void> {
  const path = fillPath('/projects/{projectId}/webhooks/{webhookId}/deliveries/{deliveryId}', control);
  while ((await service.get(path)).body.state === 'pending') await nextTurn();
}

/** Everything that can be read about the control project. */
async function controlState(): Promise<string> {
  const reads = everyOperation.filter(({ method, path }) => method === 'GET' && path.includes('{projectId}'));
  // Console reads and the registry change with the organization, not with the project.
  const answers = await Promise.all(
    reads.filter((one) => !isOfConsole(one) && one.id !== 'listRegistryServers').map((one) => read(one)),
  );
  // The time of a computation and the name of a creator can change at any time.
  const volatile = /"computedAt":\d+|"createdByName":"(?:[^"\\]|\\.)*"/g;
  return answers.map(({ text }) => text.replaceAll(volatile, '')).join('\n');
}
