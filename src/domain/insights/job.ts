import type { Narration, Users } from '../../evaluation/index.ts';
import { hostedRoute } from '../../models/resolve.ts';
import type { InsightsQueries } from '../../platform/database/queries/insights-requests.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import type { Commit } from '../../platform/leases/holder.ts';
import type { ModelParts } from '../eval-runs/execute/ask-model.ts';
import { storableJson } from '../storable.ts';
import { explain, type Found } from './explain.ts';

/** Which wave of whom, and which of the requests for it. */
export interface Asked {
  ownerId: string;
  waveId: string;
  request: number;
}

/** Requests for waves that were queued by an earlier version name the project. */
function askedIn(payload: unknown): Asked {
  const { waveId, request, ...owner } = payload as Asked & { projectId?: string };
  return { ownerId: owner.ownerId ?? (owner.projectId as string), waveId, request };
}

export interface Counted<Content extends Narration> {
  content: Content;
  /** Sessions in which something was said. */
  spoken: string[];
  organizationId: string;
  projectId: string;
}

interface Work<Content extends Narration> {
  kind: string;
  insights: InsightsQueries;
  users: Users;
  /** The part that needs no model. Undefined: what it is about is gone. */
  count: (asked: Asked) => Promise<Counted<Content> | undefined>;
}

/** Gathers what sessions have in common, and has a model explain it where there is one. */
export function insightsJobOf<Content extends Narration>(
  parts: ModelParts,
  { kind, insights, users, count }: Work<Content>,
): JobKind {
  const { db, clock, models } = parts.services;
  const closed =
    (asked: Asked, { content, discovery }: Found<Content>): Commit =>
    async (trx) => {
      await trx.run(insights.close, {
        ...asked,
        status: 'completed',
        insights: storable(content),
        discovery: discovery && storable(discovery),
        errorCode: null,
        errorMessage: null,
      });
    };
  const failed =
    (asked: Asked, errorCode: string, errorMessage: string): Commit =>
    async (trx) => {
      const nothing = { insights: null, discovery: null };
      await trx.run(insights.close, { ...asked, status: 'failed', ...nothing, errorCode, errorMessage });
    };
  return {
    kind,
    concurrency: 2,
    handle: async (payload, signal) => {
      const asked = askedIn(payload);
      const row = await db.row(insights.find, asked);
      if (row?.request !== asked.request || row.status !== 'pending') return undefined;
      const counted = await count(asked);
      if (!counted) return failed(asked, 'NOT_FOUND', 'What the insights were to be about is gone');
      const { organizationId, projectId, spoken } = counted;
      const content = { ...counted.content, generatedAt: clock(), modelUsed: null, providerKey: null };
      const route = hostedRoute(models);
      if (!route) return closed(asked, { content, discovery: null });
      const purpose = { reason: `${kind} ${asked.waveId}`, actor: row.requestedBy };
      const asker = { id: null, organizationId, projectId, apiKeys: {}, purpose };
      return closed(asked, await explain(parts, { asker, route, users }, content, spoken, signal));
    },
    givenUp: (payload) => failed(askedIn(payload), 'INTERNAL_ERROR', 'The insights could not be gathered'),
  };
}

function storable(value: unknown): unknown {
  return JSON.parse(storableJson(value)) as unknown;
}
