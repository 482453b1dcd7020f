import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { pageBy } from '../../base/paging.ts';
import type { Verb } from '../../context/verb.ts';
import { findRun, snapshotOf } from '../find.ts';
import type { RunSnapshot } from '../snapshot.ts';
import { iterationScope, statusOf } from './iterations.ts';

type Page = OutputOf<Operations['listEvalRunTrialStates']>;
type State = Page['items'][number];

export const listEvalRunTrialStates: Verb<'listEvalRunTrialStates'> = async (context, input) => {
  const { id: runId } = await findRun(context, input.runId);
  const names = new Names(await snapshotOf(context, runId));
  const page = await pageBy(context, input, {
    scope: iterationScope(runId),
    placeOf: ({ position }: trials.TrialStateRow) => [position] as const,
    fetch: (after, most) => context.db.rows(trials.states, { runId, after: after?.[0] ?? -1, most }),
    present: (row): State => ({
      id: row.id,
      case: names.caseOf(row),
      iterationNumber: row.number,
      status: statusOf(row),
      result: row.result,
      durationMs: row.durationMs,
      tokensUsed: row.totalTokens,
      estimatedCostUsd: row.costMicros === null ? null : row.costMicros / 1_000_000,
      ...(row.firstFailedStage !== null && {
        firstFailedStage: row.firstFailedStage as NonNullable<State['firstFailedStage']>,
      }),
      tools: names.toolsOf(row),
    }),
  });
  return { cases: names.cases, tools: [...names.tools.keys()], ...page };
};

/**
 * Deduplicates cases and tools across trials: each is listed once, in order of first use, and trials refer to its
 * index.
 */
class Names {
  readonly cases: Page['cases'] = [];
  readonly tools = new Map<string, number>();
  private readonly places = new Map<string, number>();
  private readonly snapshot: RunSnapshot;

  constructor(snapshot: RunSnapshot) {
    this.snapshot = snapshot;
  }

  caseOf({ caseId, variant }: trials.TrialStateRow): number {
    const key = `${variant} ${caseId}`;
    const known = this.places.get(key);
    if (known !== undefined) return known;
    const planned = this.snapshot.cases.find(({ id }) => id === caseId);
    this.places.set(key, this.cases.length);
    return (
      this.cases.push({
        testCaseId: caseId,
        caseId: planned?.declaredId,
        title: planned?.title ?? '',
        model: planned?.variants[variant]?.model ?? '',
        provider: planned?.variants[variant]?.provider ?? '',
      }) - 1
    );
  }

  toolsOf({ toolNames }: trials.TrialStateRow): number[] {
    return [...new Set((toolNames ?? []) as string[])].map((name) => {
      const place = this.tools.get(name) ?? this.tools.size;
      this.tools.set(name, place);
      return place;
    });
  }
}
