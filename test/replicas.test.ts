// @module-tag long
// @module-tag haproxy
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Disturber } from './support/replicas/disturb.ts';
import { excuseOf } from './support/replicas/excuse.ts';
import { Fleet } from './support/replicas/fleet.ts';
import { type Ground, prepare } from './support/replicas/ground.ts';
import { Acknowledged, run } from './support/replicas/load.ts';
import { disturbBriefly, disturbFor } from './support/replicas/plan.ts';
import { tableOf } from './support/replicas/table.ts';
import { problemsAfter } from './support/replicas/verify.ts';

/** `npm run soak -- --minutes 10` sets it; without it each kind of disturbance comes once. */
const minutes = Number(process.env['DRYDOCK_TEST_REPLICAS_MINUTES'] ?? 0);
const seed = Number(process.env['DRYDOCK_TEST_SEED'] ?? Date.now() % 1_000_000);

let fleet: Fleet;
let ground: Ground;
beforeAll(async () => {
  fleet = await Fleet.start();
  ground = await prepare(fleet);
});
afterAll(async () => {
  await ground?.tunnel.stop().catch(() => {});
  await fleet?.end();
});

test('the outside gets no figures', async () => {
  expect((await fetch(`${fleet.front.origin}/metrics/`)).status).toBe(404);
});

test('three replicas and three workers under load lose and repeat nothing while they are killed, frozen and restarted', {
  timeout: 300_000 + minutes * 75_000,
}, async () => {
  const acknowledged = new Acknowledged();
  const disturber = new Disturber(fleet);
  const stopping = new AbortController();
  const began = performance.now();
  // Less in a suite, whose other tests need the processors too.
  const ease = minutes > 0 ? 1 : 2;
  const load = run({ ground, acknowledged, stopping: stopping.signal, ease });
  // A load that fails ends all of it.
  load.catch(() => stopping.abort());
  const plan = minutes > 0 ? disturbFor(minutes, seed) : disturbBriefly;
  await plan(disturber, stopping.signal).finally(() => stopping.abort());
  await load;
  const { caller, tunnel } = ground;
  const { lines, notices } = fleet.front;
  const facts = { disturbances: disturber.done, lines, notices, held: await tunnel.held() };
  const excused = new Map(caller.failures.map((attempt) => [attempt, excuseOf(attempt, facts)]));
  const problems = await problemsAfter({ fleet, ground, acknowledged });
  const unexplained = caller.failures
    .filter((attempt) => !excused.get(attempt))
    .map(({ from, to, name, status, problem }) => {
      const line = JSON.stringify(lines.get(name) ?? 'not in the log of HAProxy');
      const requestId = /req_\w+/.exec(problem)?.[0] ?? name;
      const log = fleet.members.flatMap((member) => member.linesAbout(requestId)).join();
      return `${Math.round(from - began)} to ${Math.round(to - began)} ms: ${name} ${status} ${problem} ${line} ${log}`;
    });
  const shown = minutes > 0 || problems.length + unexplained.length > 0;
  const failedStarts = fleet.members.flatMap((member) => member.failedStarts);
  const { done: disturbances } = disturber;
  const told = { caller, acknowledged, disturbances, failedStarts, notices, excused, began };
  if (shown) process.stdout.write(tableOf(told));
  expect({ seed, problems, unexplained }).toEqual({ seed, problems: [], unexplained: [] });
});
