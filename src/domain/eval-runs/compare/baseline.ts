import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '../../../contract/errors.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { invalid } from '../../base/refusals.ts';
import type { InProject } from '../../context/context.ts';
import { coverageOf } from '../coverage.ts';
import { isOpen } from '../is-open.ts';

export interface Baseline {
  run: runs.RunRow;
  policy: 'run' | 'previous_completed' | 'previous_completed_same_environment' | 'commit_sha' | 'branch';
  commitSha?: string;
  branch?: string;
  /** Number of comparable runs of that commit, counted up to 21; omitted if there is only one. */
  matches?: number;
}

interface Asked {
  baseRunId?: string | undefined;
  baseCommitSha?: string | undefined;
  baseBranch?: string | undefined;
}

/** The baseline of a comparison: the run named in the request, otherwise the last comparable run. */
export async function baselineOf(
  { db, project }: InProject,
  run: runs.RunRow,
  asked: Asked,
): Promise<Baseline> {
  const { baseRunId, baseCommitSha: commitSha, baseBranch: branch } = asked;
  if (Object.values({ baseRunId, commitSha, branch }).filter((one) => one !== undefined).length > 1)
    throw invalid('baseRunId, baseCommitSha and baseBranch are mutually exclusive');
  if (baseRunId !== undefined) {
    const base = await db.row(runs.find, { projectId: project.id, id: baseRunId });
    if (!base || base.suiteId !== run.suiteId)
      throw noBaseline(`There is no run ${baseRunId} of this suite`, { baseRunId });
    return { run: base, policy: 'run' };
  }
  const like = await previousComparableRun(db, run, { commitSha, branch });
  const details = {
    ...(commitSha !== undefined && { baseCommitSha: commitSha }),
    ...(branch !== undefined && { baseBranch: branch }),
  };
  if ('why' in like) throw noBaseline(`No earlier run to compare with: ${like.why}`, details);
  const { run: base, matches } = like;
  if (commitSha !== undefined)
    return { run: base, policy: 'commit_sha', commitSha, ...(matches > 1 && { matches }) };
  if (branch !== undefined) return { run: base, policy: 'branch', branch };
  return {
    run: base,
    policy: run.environment ? 'previous_completed_same_environment' : 'previous_completed',
  };
}

interface Among {
  commitSha?: string | undefined;
  branch?: string | undefined;
}

/**
 * The last completed run of the whole suite before this one with the same models, client and environment, limited to
 * a branch or commit if one is named. If none exists, returns the reason: no other run becomes the baseline by
 * default.
 */
export async function previousComparableRun(
  db: Db,
  run: runs.RunRow,
  { commitSha, branch }: Among = {},
): Promise<{ run: runs.RunRow; matches: number } | { why: string }> {
  if (commitSha === undefined && !isOpen(run.status) && run.status !== 'completed')
    return { why: `this run did not complete (${run.status.replace('_', ' ')})` };
  if (commitSha === undefined && coverageOf(run) === 'try') return { why: 'this run only tried a case' };
  if (commitSha === undefined && coverageOf(run) === 'cases')
    return { why: 'this run has only some cases of the suite' };
  const among = {
    suiteId: run.suiteId,
    id: run.id,
    commitSha: commitSha ?? null,
    branch: branch ?? null,
  };
  const { target } = await db.one(runs.target, { id: run.id });
  const [found, ...others] = await db.rows(runs.comparable, { ...among, target });
  if (found) return { run: found, matches: others.length + 1 };
  const last = await db.row(runs.lastCompleted, among);
  const where =
    commitSha === undefined
      ? branch === undefined
        ? ''
        : ` on the branch ${branch}`
      : ` of the commit ${commitSha}`;
  if (!last)
    return {
      why: `no complete run of this suite${where}${commitSha === undefined ? ' came before this one' : ' is known'}`,
    };
  return {
    why: `run ${last.runNumber}, the last complete one${where}, ${differenceOf(last.target, target)}`,
  };
}

function differenceOf(was: runs.RunTarget, is: runs.RunTarget): string {
  if (!isDeepStrictEqual(was.models, is.models))
    return `used ${modelText(was)}, and this one ${modelText(is)}`;
  if (was.environment !== is.environment) return 'took place in another environment';
  if (was.client !== is.client) return 'ran as another client';
  return is.withoutSkills ? 'had its skills' : 'was without its skills';
}

function modelText({ models }: runs.RunTarget): string {
  const named = Object.keys(models).filter((model) => model !== '');
  if (named.length === 0) return 'no model';
  return named.length > 3 ? `${named.length} models` : named.join(' and ');
}

function noBaseline(message: string, details: Record<string, string>): Refusal {
  return new Refusal('NOT_FOUND', message, { details: { reason: 'BASELINE_NOT_FOUND', ...details } });
}
