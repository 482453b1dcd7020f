import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ground } from './ground.ts';
import { type Watched, watch } from './watch.ts';

/** Everything that the fleet has acknowledged. */
export class Acknowledged {
  /** IDs of created resources, with the action in the audit log and the unique name. */
  readonly made: { action: string; id: string; name: string }[] = [];
  /** The last acknowledged text of each edited resource. */
  readonly edited = new Map<string, string>();
  /** Digests of uploads by ID. */
  readonly uploads = new Map<string, string>();
  readonly runs: string[] = [];
  readonly swarms: string[] = [];
  readonly watched: Watched[] = [];
}

interface Lane {
  ground: Ground;
  acknowledged: Acknowledged;
  /** Number of the lane among those of its kind. */
  lane: number;
  /** Number of the step in the lane. */
  nth: number;
}

interface Kind {
  lanes: number;
  /** Milliseconds between two steps of a lane. */
  pause: number;
  step: (lane: Lane) => Promise<void>;
}

/** All loads, which run concurrently. */
const kinds: Record<string, Kind> = {
  read: { lanes: 2, pause: 100, step: read },
  write: { lanes: 2, pause: 150, step: write },
  edit: { lanes: 1, pause: 250, step: edit },
  report: { lanes: 1, pause: 400, step: report },
  live: { lanes: 1, pause: 100, step: live },
  upload: { lanes: 1, pause: 400, step: upload },
  tunnel: { lanes: 1, pause: 150, step: throughTunnel },
  // The lane selects the suite, so that two runs are always in progress.
  evals: { lanes: 2, pause: 0, step: evals },
  swarm: { lanes: 1, pause: 0, step: swarm },
};

interface Loading {
  ground: Ground;
  acknowledged: Acknowledged;
  stopping: AbortSignal;
  /** Factor of the pauses. */
  ease: number;
}

/** Runs all loads until stopped, and lets steps in progress end. Rejects with the first call that gave up. */
export async function run({ ground, acknowledged, stopping, ease }: Loading): Promise<void> {
  const lanes = Object.values(kinds).flatMap(({ lanes: count, pause, step }) =>
    Array.from({ length: count }, async (_, lane) => {
      for (let nth = 0; !stopping.aborted; nth++) {
        await step({ ground, acknowledged, lane, nth });
        await delay(pause * ease * (0.5 + Math.random()));
      }
    }),
  );
  await Promise.all(lanes);
}

function only<T>(of: readonly T[], nth: number): T {
  return of[nth % of.length] as T;
}

async function read({ ground: { caller, project, serverId }, acknowledged, nth }: Lane): Promise<void> {
  const path = only(['/me', `${project}/servers?limit=20`, `${project}/servers/${serverId}`, 'run'], nth);
  const runId = acknowledged.runs.at(-1);
  if (path !== 'run') await caller.json('read', 'GET', path);
  else if (runId !== undefined) await caller.json('read', 'GET', `${project}/eval-runs/${runId}`);
}

/** A project can have 1,000 personas. */
const personasAtMost = 900;

/** The unique name is also the idempotency key. */
async function write({
  ground: { caller, project, serverId },
  acknowledged,
  lane,
  nth,
}: Lane): Promise<void> {
  const name = `w${lane}-${nth}`;
  const url = `http://127.0.0.1:9/${serverId}`;
  const things = [
    ['server.create', `${project}/servers`, { name, url }],
    ['project.create', '/projects', { name }],
    ['persona.create', `${project}/personas`, { name, role: 'pilot' }],
  ] as const;
  const personas = acknowledged.made.filter((one) => one.action === 'persona.create').length;
  const [action, path, body] = only(personas < personasAtMost ? things : things.slice(0, 2), nth);
  const { id } = await caller.json('write', 'POST', path, { body, key: name });
  acknowledged.made.push({ action, id, name });
}

async function edit({ ground: { caller, project }, acknowledged, nth }: Lane): Promise<void> {
  const personas = acknowledged.made.filter(({ action }) => action === 'persona.create').slice(0, 5);
  const persona = personas.length > 0 && only(personas, nth);
  if (!persona) return;
  const body = { notes: `Edit ${nth}` };
  await caller.json('edit', 'PATCH', `${project}/personas/${persona.id}`, { body });
  acknowledged.edited.set(persona.id, body.notes);
}

async function report({ ground: { caller, project }, acknowledged, nth }: Lane): Promise<void> {
  const name = `reported-${nth}`;
  const results = [{ caseTitle: 'Floats', passed: true, externalIterationId: `${name}-1` }];
  const body = { suiteName: 'reported', externalRunId: name, results };
  const { runId } = await caller.json('report', 'POST', `${project}/eval-ingest/report`, { body });
  acknowledged.made.push({ action: 'eval-run.report', id: runId, name });
}

const call = { toolName: 'inspect_hull', parameters: { ship: 'Albatross' } };

async function live({ ground: { caller, project, serverId } }: Lane): Promise<void> {
  const path = `${project}/servers/${serverId}/tools/call`;
  const { structuredContent } = await caller.json('live', 'POST', path, { body: call });
  if (structuredContent.ship !== 'Albatross') throw new Error(`Called ${JSON.stringify(structuredContent)}`);
}

async function throughTunnel({ ground: { caller, project, tunnel } }: Lane): Promise<void> {
  const path = `${project}/servers/${tunnel.serverId}/tools/call`;
  const { structuredContent } = await caller.json('tunnel', 'POST', path, { body: call });
  if (structuredContent.ship !== 'Albatross') throw new Error(`Called ${JSON.stringify(structuredContent)}`);
}

async function upload({ ground: { caller, project }, acknowledged }: Lane): Promise<void> {
  const bytes = new Uint8Array(randomBytes(16_384 + Math.floor(Math.random() * 200_000)));
  const { storageId } = await caller.json('upload', 'POST', `${project}/eval-ingest/artifacts`, { bytes });
  acknowledged.uploads.set(storageId, createHash('sha256').update(bytes).digest('hex'));
}

async function evals({ ground, acknowledged, lane, nth }: Lane): Promise<void> {
  const { caller, project, suiteIds } = ground;
  const body = { suiteId: only(suiteIds, lane) };
  const wanted = { body, key: `run-${lane}-${nth}` };
  const { runId } = await caller.json('launch', 'POST', `${project}/eval-runs`, wanted);
  acknowledged.runs.push(runId);
  const path = `${project}/eval-runs/${runId}/events`;
  // Two watchers with separate connections.
  acknowledged.watched.push(...(await Promise.all([1, 2].map(() => watch(caller, runId, path)))));
}

async function swarm({ ground, acknowledged, nth }: Lane): Promise<void> {
  const { caller, project, journeyId } = ground;
  const wanted = { body: {}, key: `swarm-${nth}` };
  const { id } = await caller.json('launch', 'POST', `${project}/journeys/${journeyId}/runs`, wanted);
  acknowledged.swarms.push(id);
  acknowledged.watched.push(await watch(caller, id, `${project}/journey-runs/${id}/events`));
}
