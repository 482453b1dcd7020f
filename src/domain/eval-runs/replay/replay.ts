import { Refusal } from '../../../contract/errors.ts';
import { McpFailure } from '../../../mcp/failures.ts';
import * as environments from '../../../platform/database/queries/environments.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as servers from '../../../platform/database/queries/servers.ts';
import { timeoutSignal } from '../../../platform/flow/deadline.ts';
import { openCursor } from '../../base/paging.ts';
import { conflict } from '../../base/refusals.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { openServer } from '../../execution/open-server.ts';
import { type PlaceSecrets, secretsOfPlace } from '../../execution/place-secrets.ts';
import { UndeliverableSecret } from '../../secrets/for-server.ts';
import { findRun, findTrial } from '../find.ts';
import { isOpen } from '../is-open.ts';
import type { RunSnapshot } from '../snapshot.ts';
import { callAgain, type ReplayedCall, type ServerNow } from './call-again.ts';
import { type CallPosition, keyLength, type RecordedCall, recordedCalls } from './recorded-calls.ts';

/**
 * Milliseconds since the request arrived: when reading traces stops, when starting calls stops, and when running
 * calls are aborted.
 */
const readsFor = 5_000;
const beginsFor = 20_000;
const lasts = 30_000;
/** Milliseconds to connect to a server and list its tools. */
const connectTimeout = 8_000;
/** Maximum number of calls over all pages. */
const maxCalls = 2_000;

type SnapshotSettings = Pick<
  RunSnapshot,
  'servers' | 'connection' | 'environment' | 'secretIds' | 'reported'
>;

export const replayEvalRun: Verb<'replayEvalRun'> = async (context, { runId, body }) => {
  const began = performance.now();
  const run = await findRun(context, runId);
  if (isOpen(run.status))
    throw conflict('The run has not ended. Wait until it has, or cancel it', 'RUN_NOT_TERMINAL');
  const snapshot = (await context.db.one(runs.snapshotSettings, { runId })).snapshot as SnapshotSettings;
  if (snapshot.reported)
    throw conflict('Reported runs cannot be replayed: their servers are unknown', 'RUN_NOT_REPLAYABLE');
  const { includeWrites, iterationIds, tools, cursor, limit } = body;
  for (const id of iterationIds ?? []) await findTrial(context, runId, id);
  const scope = ['eval-replay', run.id, includeWrites, iterationIds ?? null, tools ?? null];
  const { from, made } = cursor === undefined ? start() : opened(openCursor(context, scope, cursor));
  const { calls, next } = await recordedCalls(context, {
    runId: run.id,
    serverIds: new Set(snapshot.servers.map(({ id }) => id)),
    iterationIds,
    tools: tools && new Set(tools),
    from,
    made,
    limit: Math.min(limit, maxCalls - made.size),
    until: began + readsFor,
  });
  const replayed = await replayAll(context, snapshot, calls, includeWrites, began);
  const items = calls.flatMap((call) => replayed.get(call) ?? []);
  for (const call of replayed.keys()) made.add(call.key);
  const goesOn = calls.find((call) => !replayed.has(call))?.place ?? next;
  const truncated = goesOn !== undefined && made.size >= maxCalls;
  return {
    summary: summaryOf(items),
    items,
    ...(goesOn && !truncated && { nextCursor: context.cursors.seal(scope, closed(goesOn, made)) }),
    truncated,
  };
};

async function replayAll(
  context: ProjectContext,
  snapshot: SnapshotSettings,
  calls: readonly RecordedCall[],
  includeWrites: boolean,
  began: number,
): Promise<Map<RecordedCall, ReplayedCall>> {
  const gone = context.callerGone();
  const ends = timeoutSignal(Math.max(1, Math.ceil(began + lasts - performance.now())));
  const calling = { includeWrites, gone, ends, beginsUntil: began + beginsFor };
  const secrets = await secretsFor(context, snapshot);
  const byServer = new Map<string, RecordedCall[]>();
  for (const call of calls) byServer.set(call.serverId, [...(byServer.get(call.serverId) ?? []), call]);
  const replayed = await Promise.all(
    [...byServer].map(async ([serverId, those]) => {
      const server = await serverNow(context, snapshot, serverId, secrets, AbortSignal.any([gone, ends]));
      return callAgain(server, those, calling);
    }),
  );
  return new Map(replayed.flatMap((some) => [...some]));
}

/**
 * Secrets that the run's environment grants to the user who replays it. An environment edited or archived since the
 * run may have revoked them, so nothing is delivered then.
 */
async function secretsFor(
  context: ProjectContext,
  snapshot: SnapshotSettings,
): Promise<PlaceSecrets | { unavailable: string }> {
  const { db, project, actor } = context;
  const { environment, secretIds } = snapshot;
  if (environment && secretIds.length > 0) {
    const row = await db.row(environments.find, { projectId: project.id, id: environment.id });
    if (!row || row.archivedAt !== null || row.revision !== environment.revision)
      return { unavailable: 'The environment of the run was edited or archived, and it grants secrets' };
  }
  const granted = await secretsOfPlace(context, { projectId: project.id, userId: actor.user.id }, snapshot);
  return granted.secretsIncomplete
    ? { unavailable: 'A secret that the environment grants was deleted or is not shared with you' }
    : granted;
}

async function serverNow(
  context: ProjectContext,
  snapshot: SnapshotSettings,
  id: string,
  granted: PlaceSecrets | { unavailable: string },
  signal: AbortSignal,
): Promise<ServerNow> {
  if ('unavailable' in granted) return granted;
  const row = await context.db.row(servers.findLive, { projectId: context.project.id, id });
  if (!row) return { unavailable: 'The server was deleted after the run' };
  const organizationId = context.actor.organization.id;
  const caller = { organizationId, connection: snapshot.connection, ...granted, apiKeys: {} };
  try {
    return await openServer(context, caller, row, { timeout: connectTimeout, signal });
  } catch (error) {
    context.callerGone().throwIfAborted();
    const isAboutServer = [McpFailure, UndeliverableSecret, Refusal].some((kind) => error instanceof kind);
    if (!isAboutServer) throw error;
    return { unavailable: (error as Error).message.slice(0, 500).toWellFormed() };
  }
}

function summaryOf(items: readonly ReplayedCall[]) {
  const counts = { same: 0, content: 0, schema: 0, error: 0, skipped: 0, unavailable: 0 };
  for (const { outcome } of items) counts[outcome]++;
  const compared = counts.same + counts.content;
  const result =
    counts.schema + counts.error > 0
      ? ('failed' as const)
      : counts.unavailable > 0 || compared === 0
        ? ('incomplete' as const)
        : ('passed' as const);
  return { calls: items.length, ...counts, result };
}

function start(): { from: CallPosition; made: Set<string> } {
  return { from: { position: 0, frame: 0 }, made: new Set() };
}

/** Cursor contents: the position, and the keys of all replayed calls, so that none is repeated on a later page. */
function closed({ position, frame }: CallPosition, made: ReadonlySet<string>): string {
  return `${position}.${frame}.${[...made].join('')}`;
}

function opened(cursor: string): { from: CallPosition; made: Set<string> } {
  const [position = '', frame = '', keys = ''] = cursor.split('.');
  const made = new Set<string>();
  for (let at = 0; at < keys.length; at += keyLength) made.add(keys.slice(at, at + keyLength));
  return { from: { position: Number(position), frame: Number(frame) }, made };
}
