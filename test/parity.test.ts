// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import { isSafe, type Operation, streamedAnswer } from '../src/contract/operation.ts';
import { openApiDocument } from '../src/surfaces/openapi/document.ts';
import { arrange } from './support/arrangements.ts';
import { refusedHere } from './support/every-operation.ts';
import { isSoak } from './support/long.ts';
import { exampleFor, makeParameters, parametersOf } from './support/path-parameters.ts';
import { browserSetting } from './support/programs.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { type Asked, type Came, type Surface, surfaces } from './support/surfaces.ts';

let service: TestService;
const { paths } = openApiDocument('', 'test');

beforeAll(async () => {
  service = await startTestService({ worker: false, env: browserSetting });
});
afterAll(() => dispose(service));

type Shown = [name: string, call: Surface][];

describe.each(operationList)('$id', (operation) => {
  test('is described, answers alike, and refuses alike', async () => {
    expect.hasAssertions();
    await expectAlike(operation, isSafe(operation) ? Object.entries(surfaces) : twoOf(operation));
  });
});

describe.runIf(isSoak).each(operationList.filter((operation) => !isSafe(operation)))('$id', (operation) => {
  test('answers alike on every surface', async () => {
    expect.hasAssertions();
    await expectAlike(operation, Object.entries(surfaces));
  });
});

async function expectAlike(operation: Operation, shownOn: Shown): Promise<void> {
  expect(paths[operation.path]?.[operation.method.toLowerCase()]?.operationId).toBe(operation.id);
  let asked = await askedOf(operation);
  const answers: Record<string, unknown> = {};
  for (const [name, call] of shownOn) {
    // Changes of one surface are not visible to the next.
    if (name !== 'HTTP' && !isSafe(operation)) asked = await askedOf(operation);
    answers[name] = steady(await call(service, operation, asked));
  }
  expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((name) => [name, answers['HTTP']])));
  expect(answers['HTTP']).toHaveProperty(refusedHere(operation) ? 'refusal.code' : 'answer');
  const refusals: Record<string, Came> = {};
  for (const [name, call] of Object.entries(surfaces)) {
    // Whoever comes as an agent shows a key, also for what anybody may ask.
    if (name === 'MCP' && isOpen(operation)) continue;
    refusals[name] = await call(service, operation, refused(operation, asked));
  }
  expect(refusals).toEqual(Object.fromEntries(Object.keys(refusals).map((name) => [name, refusals['HTTP']])));
  expect(Object.keys(refusals['HTTP'] as Came)).toEqual([isOpen(operation) ? 'answer' : 'refusal']);
}

/** HTTP and one of the others, by turns. */
function twoOf(operation: Operation): Shown {
  const [http, ...others] = Object.entries(surfaces);
  const turn = operationList.indexOf(operation) % others.length;
  return http ? [http, ...others.slice(turn, turn + 1)] : [];
}

/** Nothing that it is asked with can be refused for who asks or what is named. */
function isOpen({ access, params }: Operation): boolean {
  return access === 'public' && params.length === 0;
}

/** The example of an operation, about things that are there. */
async function askedOf(operation: Operation): Promise<Asked> {
  const made = await makeParameters(service, parametersOf(operation));
  const params = await arrange(service, operation, made);
  if (streamedAnswer(operation.response)?.kind === 'events') await end(params);
  const bytes = operation.upload && !operation.example ? Buffer.from('<p>fixture</p>') : undefined;
  const body = operation.body || operation.upload ? await exampleFor(service, operation, params) : undefined;
  return {
    params,
    key: service.key,
    ...(operation.upload ? { bytes: bytes ?? Buffer.from(JSON.stringify(body)) } : { body }),
  };
}

/** A stream of something that is over ends. */
async function end({
  projectId,
  runId,
  journeyRunId,
  connectionRequestId,
}: Record<string, string>): Promise<void> {
  if (journeyRunId !== undefined)
    await service.post(`/projects/${projectId}/journey-runs/${journeyRunId}/cancel`);
  if (runId !== undefined) await service.post(`/projects/${projectId}/eval-runs/${runId}/cancel`);
  if (connectionRequestId !== undefined)
    await service.post(`/server-connections/${connectionRequestId}/cancel`);
}

/** The same about things that are nowhere; where nothing is named, with a key of nobody. */
function refused({ params: names }: Operation, asked: Asked): Asked {
  if (names.length === 0) return { ...asked, key: 'sk_nobody_nobody_nobody_nobody' };
  const last = names.at(-1) as string;
  return { ...asked, params: { ...asked.params, [last]: `nowhere_${'0'.repeat(26)}` } };
}

/** Without what differs from one call to the next: ids, times, durations, addresses with tokens in them. */
function steady(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => steady(one));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      // Agents are spared what is null.
      Object.entries(value)
        .filter(([, inner]) => inner !== null)
        .map(([key, inner]) => [steadyText(key), steady(inner, key)]),
    );
  if (typeof value === 'number' && (value > 1e11 || /ms$|duration|latency|tokens$/i.test(name))) return 0;
  // A group is called as the idempotency key, which the client makes.
  if (name === 'runGroupId') return '<id>';
  return typeof value === 'string' ? steadyText(value) : value;
}

function steadyText(text: string): string {
  return (
    text
      .replaceAll(/[a-z]{2,8}_[0-9a-z]{26}/g, '<id>')
      .replaceAll(/whsec_[\w+/=]+/g, '<secret>')
      .replaceAll(/#(t\.)?[\w-]{43}/g, '#<token>')
      .replaceAll(/\bc_[\w-]{21}(?!\w)/g, '<declared>')
      .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT/g, '<date>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/\/artifact-(links|uploads)\/[\w-]+/g, '/artifact-$1/<token>')
      .replaceAll(/(?<![\w-])[\w-]{43}(?![\w-])/g, '<token>')
      .replaceAll(/\bguest_[\w-]+/g, '<token>')
      .replaceAll(/\b(?:[0-9a-f]{32,64}|[0-9a-f]{20})\b/g, '<hash>')
      // Around what is quoted.
      .replaceAll(/\b[0-9a-f]{16}\b/g, '<mark>')
  );
}
