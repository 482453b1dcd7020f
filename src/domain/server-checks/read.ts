import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import * as checks from '../../platform/database/queries/server-checks.ts';
import { pageBy, pageByLatest } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';

/** Slots of the status strip, whatever its time span. */
const slots = 48;
const hour = 3_600_000;

export function noScheduledChecks(): Refusal {
  return new Refusal('NOT_FOUND', 'This server has no scheduled checks');
}

export const listServerChecks: Verb<'listServerChecks'> = (context, page) => {
  const { db, project } = context;
  return pageBy(context, page, {
    scope: ['server-checks', project.id],
    placeOf: ({ serverId }: checks.ServerChecksRow) => [serverId] as const,
    fetch: (after, most) => db.rows(checks.list, { projectId: project.id, after: after?.[0] ?? '', most }),
    present: presentChecks,
  });
};

export const getServerChecks: Verb<'getServerChecks'> = async (context, { serverId, hours }) => {
  const { db, project } = context;
  const row = await db.row(checks.find, { projectId: project.id, serverId });
  if (!row) throw noScheduledChecks();
  const { day, week, month, averageMs, now } = await db.one(checks.uptime, { serverId });
  const slot = (hours * hour) / slots;
  const since = (now ?? context.clock()) - hours * hour;
  const seen = await db.rows(checks.uptimeSlots, { serverId, since, slot });
  const bySlot = new Map(seen.map(({ nth, ok, failed }) => [nth, { ok: ok ?? 0, failed: failed ?? 0 }]));
  return {
    ...presentChecks(row),
    uptime: { day, week, month },
    averageMs: averageMs === null ? null : Math.round(averageMs),
    strip: Array.from({ length: slots }, (_, nth) => ({
      from: Math.round(since + nth * slot),
      to: Math.round(since + (nth + 1) * slot),
      ...(bySlot.get(nth) ?? { ok: 0, failed: 0 }),
    })),
  };
};

export const listServerCheckResults: Verb<'listServerCheckResults'> = (context, { serverId, ...page }) => {
  const fetch = (before: string | null, most: number) =>
    context.db.rows(checks.listResults, { serverId, before, most });
  return pageByLatest(context, ['server-check-results', serverId], page, fetch, presentResult);
};

export function presentChecks(row: checks.ServerChecksRow): OutputOf<Operations['setServerChecks']> {
  const { serverId, serverName, everyMinutes, enabled, health, healthSince, checkedAt, pausedReason } = row;
  return {
    serverId,
    serverName,
    everyMinutes,
    enabled,
    health,
    healthSince,
    checkedAt,
    nextCheckAt: enabled && row.serverEnabled ? row.dueAt : null,
    pausedReason: row.serverEnabled ? pausedReason : 'The server is disabled',
    setByUserId: row.setBy,
    updatedAt: row.updatedAt,
  };
}

function presentResult({ id, checkedAt, ok, status, durationMs, failedCheck, detail }: checks.ResultRow) {
  return { id, checkedAt, ok, status, durationMs, failedCheck, detail };
}
