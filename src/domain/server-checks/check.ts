import { Refusal } from '../../contract/errors.ts';
import { secretsInUrl, withoutSecrets } from '../../mcp/target.ts';
import type { Db } from '../../platform/database/database.ts';
import * as checks from '../../platform/database/queries/server-checks.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { type Account, enqueueAll } from '../../platform/jobs/queue.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import type { Commit } from '../../platform/leases/holder.ts';
import { redact } from '../../platform/log.ts';
import type { ServerContext, Services } from '../context.ts';
import { actWhile } from '../identity/act-for.ts';
import { examineServer, type Report } from '../live/examination.ts';
import { reach } from '../live/reach.ts';
import { asStorable } from '../storable.ts';
import { emit } from '../webhooks/emit.ts';

const checkServer = 'check-server';
/** Failed checks in a row before a server is called unhealthy: one may be the network. */
const patience = 2;

interface Due {
  serverId: string;
  projectId: string;
}

/** Looks at servers as often as somebody wants, as that somebody. */
export function serverCheckJobs(services: Services): JobKind[] {
  return [
    {
      kind: 'fire-server-checks',
      every: 5_000,
      handle: async () => async (trx) => {
        const due = await trx.rows(checks.fire);
        await enqueueAll(
          trx,
          due.map(({ serverId, projectId, organizationId, setBy }) => ({
            kind: checkServer,
            payload: { serverId, projectId } satisfies Due,
            uniqueKey: serverId,
            onBehalfOf: { organizationId, userId: setBy },
          })),
        );
      },
    },
    {
      kind: checkServer,
      attempts: 2,
      // A server that does not answer keeps one for ten seconds.
      concurrency: 4,
      handle: async (payload, signal, onBehalfOf) =>
        onBehalfOf && look(services, payload as Due, onBehalfOf, signal),
    },
  ];
}

async function look(
  services: Services,
  { serverId, projectId }: Due,
  account: Account,
  signal: AbortSignal,
): Promise<Commit | undefined> {
  const server = await services.db.row(servers.findLive, { projectId, id: serverId });
  if (!server) return undefined;
  const began = performance.now();
  try {
    const requestId = newId('check');
    const acting = { ...account, projectId, requestId };
    const report = await actWhile(services, 'runDoctor', acting, signal, async (entered) => {
      const context: ServerContext = Object.assign(entered, { server });
      return examineServer(context, await reach(context, server, {}), { firstPageOnly: true });
    });
    // That this service has too much to do says nothing about the server either.
    if (report.error?.details?.['reason'] === 'SERVICE_BUSY') return undefined;
    const durationMs = Math.round(performance.now() - began);
    return (trx) => note(trx, { serverId, projectId, server }, report, durationMs);
  } catch (error) {
    // The account may not, or commands may not be run: that says nothing about the server.
    if (!(error instanceof Refusal)) throw error;
    const pausedReason = brief(error.message);
    return async (trx) => void (await trx.run(checks.pause, { serverId, pausedReason }));
  }
}

async function note(
  db: Db,
  { serverId, projectId, server }: Due & { server: servers.LiveServerRow },
  report: Report,
  durationMs: number,
): Promise<void> {
  const before = await db.row(checks.lock, { serverId });
  if (!before) return;
  const ok = report.status === 'ready';
  const failures = ok ? 0 : before.failures + 1;
  const health = ok ? 'healthy' : failures >= patience ? 'unhealthy' : before.health;
  const [failedCheck, failed] =
    Object.entries(report.checks).find(([, { status }]) => status === 'error') ?? [];
  const reason = report.error?.message ?? failed?.detail;
  // Receivers of webhooks read this, and not the address of the server.
  const detail = ok || reason === undefined ? null : brief(withoutSecrets(reason, secretsInUrl(server.url)));
  const result = { ok, status: report.status, durationMs, failedCheck: failedCheck ?? null, detail };
  await db.run(checks.addResult, { id: newId('chk'), serverId, projectId, ...result });
  await db.run(checks.note, { serverId, failures, health });
  const recovered = health === 'healthy' && before.health === 'unhealthy';
  const broke = health === 'unhealthy' && before.health !== 'unhealthy';
  if (!recovered && !broke) return;
  const type = broke ? 'server.unhealthy' : 'server.healthy';
  const data = { serverId, serverName: server.name, ...result, failures, since: before.healthSince };
  await emit(db, projectId, [{ type, subject: serverId, data }]);
}

/** Servers have a hand in it. Cut first: that may leave half of a character. */
function brief(text: string): string {
  return asStorable(redact(text).slice(0, 500));
}
