import { describe, expect, test } from 'vitest';
import { callable, providerForTest, routeTo } from '../../test/support/models.ts';
import type { Reply } from '../../test/support/scripted-provider.ts';
import { KeyedSemaphore } from '../platform/flow/semaphore.ts';
import { connectModel } from './connect.ts';
import type { ModelRoute } from './resolve.ts';
import { type PaceGate, withRetries } from './retry.ts';
import { runTurn, type ToolAnswer, type TurnOutcome } from './turn.ts';

/** A gate and a clock that advances instead of waiting. */
function fastWorld() {
  let now = Date.now();
  const until = new Map<string, number>();
  const pauses: number[] = [];
  const gate: PaceGate = {
    wait: (pool) => {
      now = Math.max(now, until.get(pool) ?? 0);
      return Promise.resolve();
    },
    pause: (pool, ms) => {
      pauses.push(ms - now);
      until.set(pool, Math.max(ms, until.get(pool) ?? 0));
    },
  };
  const sleep = (ms: number): Promise<void> => {
    now += ms;
    return Promise.resolve();
  };
  return { gate, pauses, sleep, clock: () => now, slots: new KeyedSemaphore() };
}

/** Runs a turn like a worker: holds a slot during each attempt, but not while waiting. */
async function workerTurn(
  route: ModelRoute,
  { gate, sleep, clock, slots }: ReturnType<typeof fastWorld>,
): Promise<TurnOutcome<ToolAnswer>> {
  const { signal } = new AbortController();
  return runTurn({
    model: callable(await connectModel(route), clock, (attempt) =>
      withRetries({
        attempt: () => slots.run(route.baseUrl ?? '', route.limits.concurrency, signal, attempt),
        pool: route.pool,
        gate,
        clock,
        sleep,
        random: () => 0.5,
        signal,
      }),
    ),
    history: [{ role: 'user', content: 'Which ships are there?' }],
    tools: [{ name: 'list_ships', inputSchema: { type: 'object', properties: {} } }],
    callTool: () => Promise.resolve({ output: { type: 'text', value: 'Albatross' }, isError: false }),
    signal,
    clock,
  });
}

describe.each(['openai-chat', 'openai-responses', 'anthropic'] as const)('a worker over %s', (wire) => {
  test('gets through refusals, failures, broken connections and malformed calls', async () => {
    const replies: Reply[] = [
      { status: 429, retryAfter: '61' },
      { status: 500 },
      { text: 'never read '.repeat(500), cut: true },
      // On this wire arguments are JSON already, so invalid ones are sent as a string.
      { toolCalls: [{ name: 'list_ships', input: wire === 'anthropic' ? 'limit 2' : '{"limit": ' }] },
      { status: 529, retryAfter: '3' },
      { toolCalls: [{ name: 'list_ships', input: {} }] },
      { text: 'One ship.' },
    ];
    const provider = await providerForTest(({ call }) => replies[call] ?? { text: 'too many calls' });
    const world = fastWorld();
    const outcome = await workerTurn(routeTo(provider, wire), world);
    expect(outcome).toMatchObject({ finish: 'stop', text: 'One ship.' });
    expect(outcome.steps.map(({ attempts }) => attempts)).toEqual([4, 2, 1]);
    expect(outcome.steps[0]?.calls[0]).toMatchObject({ invalid: { reason: 'malformed-input' } });
    expect(provider.requests).toHaveLength(replies.length);
    expect(world.pauses).toEqual([61_000, 3_000]);
  });

  test('ends at once where trying again is no use', async () => {
    for (const [reply, kind] of [
      [{ status: 429, text: 'insufficient_quota' }, 'quota'],
      [{ status: 401 }, 'unauthorized'],
      [{ status: 400 }, 'bad-request'],
      [{ raw: 'hello' }, 'malformed'],
      [{ status: 429, retryAfter: '86400' }, 'rate-limited'],
    ] as const) {
      const provider = await providerForTest(() => reply);
      const outcome = await workerTurn(routeTo(provider, wire), fastWorld());
      expect(outcome).toMatchObject({ finish: 'error', error: { kind }, steps: [] });
      expect(provider.requests).toHaveLength(1);
    }
  });
});

test('no more calls run at once than the connection takes', async () => {
  const provider = await providerForTest(({ results }) =>
    results === 0
      ? { toolCalls: [{ name: 'list_ships', input: {} }], latencyMs: 5 }
      : { text: 'Ok', latencyMs: 5 },
  );
  const world = fastWorld();
  const route = routeTo(provider, 'openai-chat', { limits: { concurrency: 3 } });
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => workerTurn(route, world)));
  expect(outcomes.every(({ finish }) => finish === 'stop')).toBe(true);
  expect(provider.active.most).toBe(3);
});
