import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelId, type Service, serve } from '../sessions/service.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { residentMb, stopAll } from '../support/processes.ts';
import { reading } from './reading.ts';

/** Sessions of a journey beside the calls of models alone that they are made of. */
const latency = 50;
const targets = 4;
const sessionsPerTarget = 25;
const turns = 6;
const atOnce = 3;
const rounds = Number(process.argv[3] ?? 3);

const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);
try {
  const service = await serve(dataDir, latency, new URL('provider.ts', import.meta.url).pathname);
  await reading(service, dataDir);
  const journeyId = await journeyOf(service, targets, sessionsPerTarget);
  await warmUp(service);
  const ours: number[] = [];
  const ideal: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    ideal.push(await bareCalls(service));
    ours.push(await run(service, journeyId));
    process.stderr.write(`\rRuns: round ${round} of ${rounds} `);
  }
  process.stderr.write('\r');
  const { live, perSession, share } = await memory(service);
  console.log(
    `\n${targets} x ${sessionsPerTarget} sessions of ${turns} turns, a model that answers after ${latency} ms, ${rounds} rounds in turns`,
  );
  console.log(
    table([
      ['', ''],
      ['run / the same calls alone, in the same order', show(ratios(ours, ideal))],
      ['ms of a turn over its two calls', show(overhead(ours, ideal), 1)],
      [`resident memory with ${live} live sessions / idle`, share.toFixed(2)],
      ['kB of a live session', perSession.toFixed(0)],
    ]),
  );
} finally {
  await stopAll();
  await rm(dataDir, { recursive: true, force: true });
}

/** Turns that follow each other in the longest lane. */
function maxLaneLength(): number {
  return Math.ceil(targets / atOnce) * sessionsPerTarget * turns;
}

function overhead(ours: number[], ideal: number[]) {
  return figure(ours.map((ms, round) => (ms - (ideal[round] as number)) / maxLaneLength()));
}

async function journeyOf(
  { api, projectId, serverId }: Service,
  count: number,
  sessions: number,
): Promise<string> {
  const hostIds: string[] = [];
  for (let nth = 0; nth < count; nth++) {
    const config = { modelId, serverIds: [serverId] };
    hostIds.push(
      (await api.createClient({ projectId, body: { name: `client ${nth} ${Date.now()}`, config } })).id,
    );
  }
  const persona = await api.createPersona({ projectId, body: { name: 'Ada', role: 'harbour master' } });
  const journey = await api.createJourney({
    projectId,
    body: {
      goal: 'Find out which ships are here.',
      personaId: persona.id,
      hostIds,
      sessionsPerTarget: sessions,
      maxTurns: turns,
      judge: { enabled: false, threshold: 0.5 },
    },
  });
  return journey.id;
}

async function warmUp(service: Service): Promise<void> {
  await run(service, await journeyOf(service, 3, 1));
  for (let n = 0; n < 20; n++) await call(service);
}

/** Until the last session has ended. */
async function run({ api, projectId }: Service, journeyId: string): Promise<number> {
  const began = performance.now();
  const { id: journeyRunId } = await api.launchJourneyRun({ projectId, journeyId, body: {} });
  for await (const event of api.watchJourneyRun({ projectId, journeyRunId }))
    if (event.type !== 'session.state' && event.status !== 'running') break;
  const ended = performance.now();
  const { summary } = await api.getJourneyRun({ projectId, journeyRunId });
  if (summary.succeeded !== summary.total) throw new Error(`Not all succeeded: ${JSON.stringify(summary)}`);
  return ended - began;
}

/** Each turn is two calls, the sessions of a target follow each other, and so many targets go on at once. */
async function bareCalls(service: Service): Promise<number> {
  let left = targets;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) for (let n = 0; n < sessionsPerTarget * turns * 2; n++) await call(service);
    }),
  );
  return performance.now() - began;
}

async function call({ providerUrl }: Service): Promise<void> {
  const messages = [{ role: 'user', content: 'Which ships are there?' }];
  const answer = await fetch(`${providerUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model', messages }),
  });
  if (!answer.ok) throw new Error(`The provider answered ${answer.status}`);
  await answer.text();
}

/** Memory with many sessions under way beside that with none. */
async function memory(service: Service): Promise<{ live: number; perSession: number; share: number }> {
  const idle = residentMb(service.child);
  const runs = 8;
  const journeys = [];
  for (let nth = 0; nth < runs; nth++) journeys.push(await journeyOf(service, atOnce, 4));
  let most = 0;
  const watching = setInterval(() => (most = Math.max(most, residentMb(service.child))), 100);
  await Promise.all(journeys.map((journeyId) => run(service, journeyId)));
  clearInterval(watching);
  const live = runs * atOnce;
  return { live, perSession: (Math.max(0, most - idle) * 1024) / live, share: most / idle };
}
