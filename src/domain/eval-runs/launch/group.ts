import { createHash } from 'node:crypto';
import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { InputOf, OutputOf } from '../../../contract/operation.ts';
import type { CaseRow } from '../../../platform/database/queries/eval-cases.ts';
import { newId } from '../../../platform/ids.ts';
import { identityOf } from '../../base/idempotency.ts';
import { invalidBecause } from '../../base/refusals.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { findSuite } from '../../eval-suites/suite.ts';
import { selectTarget } from '../../execution/selection.ts';
import { casesNamed } from './cases.ts';
import { answerOf, type Launch, launcherOf, sharedLaunch, sharedOverrides } from './launch.ts';
import { planRun } from './plan.ts';
import { type Identity, replayed, type Started } from './replay.ts';
import { startRun } from './start.ts';

type Target = InputOf<Operations['createEvalRunGroup']>['body']['targets'][number];
type Answer = OutputOf<Operations['createEvalRunGroup']>;
type Row = Answer['targets'][number];

/** A target whose run can start, or has been started by an earlier request with the same key. */
type Prepared = { target: Target } & ({ launch: Launch } | { earlier: Started });

export const createEvalRunGroup: Verb<'createEvalRunGroup'> = async (context, input) => {
  const { body } = input;
  const targets = distinct(body.targets);
  const suite = await findSuite(context, body.suiteId);
  const identity = identityOf(context, input, body.idempotencyKey, body);
  const runGroupId = groupId(context, suite.id, identity.idempotencyKey);
  const shared = {
    suite,
    ...sharedLaunch(body),
    overrides: sharedOverrides(body),
    runGroupId,
    source: 'api' as const,
    launcher: launcherOf(input),
    ci: input.headers['x-mcpjam-ci'],
  };
  const prepared: Prepared[] = [];
  let cases: CaseRow[] | undefined;
  // Checks every target before the first run starts.
  for (const [index, target] of targets.entries()) {
    const own = identityOfTarget(identity, index);
    const earlier = await replayed(context, own);
    if (earlier) {
      prepared.push({ target, earlier });
      continue;
    }
    const wanted = { ...target, ephemeralEnvironment: body.ephemeralEnvironment };
    const selection = await selectTarget(context, suite, wanted);
    cases ??= await casesNamed(context.db, suite.id, body.caseIds);
    planRun(context, suite, cases, selection, shared.overrides);
    prepared.push({ target, launch: { ...shared, ...own, selection } });
  }
  const rows: Row[] = [];
  for (const one of prepared)
    rows.push(
      'earlier' in one ? rowOf(one.target, one.earlier) : await start(context, one.target, one.launch, rows),
    );
  return summary(runGroupId, suite.id, rows);
};

/** Targets vary along one axis: environments or clients. */
function distinct(targets: readonly Target[]): Target[] {
  const kinds = new Set(targets.map(({ environmentId }) => environmentId === undefined));
  if (kinds.size > 1)
    throw invalidBecause('targets: Send environments or clients, not both', 'HETEROGENEOUS_TARGETS');
  return [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()];
}

function identityOfTarget(identity: Identity, index: number): Identity {
  const { idempotencyKey: key } = identity;
  return key === undefined ? {} : { ...identity, idempotencyKey: `${key}:target:${index}` };
}

/** A run that cannot start becomes a row with its error. A rate limit on the first run refuses the whole request. */
async function start(
  context: ProjectContext,
  target: Target,
  launch: Launch,
  before: readonly Row[],
): Promise<Row> {
  try {
    return rowOf(target, await startRun(context, launch));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message } = error;
    if (code === 'RATE_LIMITED' && before.length === 0) throw error;
    const { composition, client } = launch.selection;
    const name = composition?.environment.name ?? client?.name;
    const problem = { code, message: message.slice(0, 500) };
    return { target: { ...target, ...(name && { name }) }, status: 'failed', error: problem };
  }
}

function rowOf(target: Target, started: Started): Row {
  const { environment, client } = started.run;
  const name = environment?.name ?? (client as { name: string } | null)?.name;
  const { runId, status: runStatus, deduped, servers, caseUpsert } = answerOf(started);
  return {
    target: { ...target, ...(name && { name }) },
    status: 'started',
    runId,
    runStatus,
    ...(deduped && { deduped }),
    servers,
    environment,
    caseUpsert,
  };
}

function summary(runGroupId: string, suiteId: string, targets: Row[]): Answer {
  const first = targets.find(({ status }) => status === 'started');
  const startedCount = targets.filter(({ status }) => status === 'started').length;
  const failedCount = targets.length - startedCount;
  return {
    runGroupId,
    suiteId,
    outcome: failedCount === 0 ? 'started' : startedCount === 0 ? 'failed' : 'partial',
    startedCount,
    failedCount,
    targets,
    ...(first && {
      runId: first.runId,
      status: first.runStatus,
      servers: first.servers,
      environment: first.environment,
      caseUpsert: first.caseUpsert,
    }),
  };
}

/** Deterministic if a key is given, so that a repeated request gets the same group. */
function groupId({ clock }: ProjectContext, suiteId: string, key: string | undefined): string {
  if (key === undefined) return newId('group', clock());
  return createHash('sha256').update(`eval-run-group:${suiteId}:${key}`).digest('hex').slice(0, 32);
}
