import { Refusal } from '../../contract/errors.ts';
import { secretsInUrl, withoutSecrets } from '../../mcp/target.ts';
import type { Db } from '../../platform/database/database.ts';
import * as checks from '../../platform/database/queries/server-checks.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { type Account, enqueueAll } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { asStorable } from '../../platform/json/storable.ts';
import type { Commit } from '../../platform/leases/holder.ts';
import { redact } from '../../platform/log.ts';
import { jobKinds } from '../base/job-kinds.ts';
import type { ServerContext, Services } from '../context/context.ts';
import { actForWhileAllowed } from '../identity/act-for.ts';
import { examineServer, type Report } from '../live/examination.ts';
import { reach } from '../live/reach.ts';
import { emit } from '../webhooks/emit.ts';

/** Consecutive failures before a server counts as unhealthy: a single one may be the network. */
const unhealthyAfter = 2;

interface Due {
  serverId: string;
  projectId: string;
}

/** Checks servers at their configured interval, as the user who configured it. */
export function checkHandler(services: Services): JobHandler {
  return {
    handle: async (payload, signal, onBehalfOf) =>
      onBehalfOf && look(services, payload as Due, onBehalfOf, signal),
  };
}

/** Enqueues the checks that are due. */
export const fireChecksHandler: JobHandler = {
  handle: async () => async (trx) => {
    const due = await trx.rows(checks.fire);
    await enqueueAll(
      trx,
      due.map(({ serverId, projectId, organizationId, setBy }) => ({
        kind: jobKinds.checkServer,
        payload: { serverId, projectId } satisfies Due,
        uniqueKey: serverId,
        onBehalfOf: { organizationId, userId: setBy },
      })),
    );
  },
};

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
    const report = await actForWhileAllowed(services, 'runDoctor', acting, signal, async (entered) => {
      const context: ServerContext = Object.assign(entered, { server });
      return examineServer(context, await reach(context, server, {}), { firstPageOnly: true });
    });
    // An overload of this service says nothing about the server.
    if (report.error?.details?.['reason'] === 'SERVICE_BUSY') return undefined;
    const durationMs = Math.round(performance.now() - began);
    return (trx) => note(trx, { serverId, projectId, server }, report, durationMs);
  } catch (error) {
    // A lost permission or forbidden commands say nothing about the server.
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
  const health = ok ? 'healthy' : failures >= unhealthyAfter ? 'unhealthy' : before.health;
  const [failedCheck, failed] =
    Object.entries(report.checks).find(([, { status }]) => status === 'error') ?? [];
  const reason = report.error?.message ?? failed?.detail;
  // Sent to webhook receivers, so the server's URL secrets are removed.
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

/** Bounds text that servers influence. Truncated first, since that may split a surrogate pair. */
function brief(text: string): string {
  return asStorable(redact(text).slice(0, 500));
}
