import { createHash } from 'node:crypto';
import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { InputOf, OutputOf } from '../../../contract/operation.ts';
import { newId } from '../../../platform/ids.ts';
import type { ProjectContext } from '../../context.ts';
import { findSuite } from '../../eval-suites/suite.ts';
import type { Verb } from '../../verb.ts';
import { answerOf, identityOf, launcherOf, sharedLaunch, sharedOverrides } from './create.ts';
import { refused, type Selection, selectTarget } from './select.ts';
import { type Launch, startRun } from './start.ts';

type Target = InputOf<Operations['createEvalRunGroup']>['body']['targets'][number];
type Answer = OutputOf<Operations['createEvalRunGroup']>;
type Row = Answer['targets'][number];

export const createEvalRunGroup: Verb<'createEvalRunGroup'> = async (context, input) => {
  const { body } = input;
  const suite = await findSuite(context, body.suiteId);
  const identity = identityOf(context, input, body.idempotencyKey, body);
  const runGroupId = groupId(context, suite.id, identity.idempotencyKey);
  const selections: { target: Target; selection: Selection }[] = [];
  // All of them before the first run starts.
  for (const target of distinct(body.targets)) {
    const wanted = { ...target, ephemeralEnvironment: body.ephemeralEnvironment };
    selections.push({ target, selection: await selectTarget(context, suite, wanted) });
  }
  const targets: Row[] = [];
  for (const [index, { target, selection }] of selections.entries()) {
    const key = identity.idempotencyKey;
    const launch: Launch = {
      suite,
      selection,
      ...sharedLaunch(body),
      overrides: sharedOverrides(body),
      runGroupId,
      source: 'api',
      launcher: launcherOf(input),
      ci: input.headers['x-mcpjam-ci'],
      ...(key !== undefined && { ...identity, idempotencyKey: `${key}:target:${index}` }),
    };
    targets.push(await started(context, launch, target, selection));
  }
  return summary(runGroupId, suite.id, targets);
};

/** One axis: environments, or clients. */
function distinct(targets: readonly Target[]): Target[] {
  const kinds = new Set(targets.map(({ environmentId }) => environmentId === undefined));
  if (kinds.size > 1)
    throw refused('targets: Name environments, or clients, and not both', 'HETEROGENEOUS_TARGETS');
  return [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()];
}

async function started(
  context: ProjectContext,
  launch: Launch,
  target: Target,
  selection: Selection,
): Promise<Row> {
  const { environmentId, namedHostId } = target;
  const name = selection.composition?.environment.name ?? selection.client?.name;
  const named = {
    ...(environmentId !== undefined && { environmentId }),
    ...(namedHostId !== undefined && { namedHostId }),
    ...(name && { name }),
  };
  try {
    const answer = answerOf(await startRun(context, launch));
    return {
      target: named,
      status: 'started',
      runId: answer.runId,
      runStatus: answer.status,
      ...(answer.deduped && { deduped: true as const }),
      servers: answer.servers,
      environment: answer.environment,
      caseUpsert: answer.caseUpsert,
    };
  } catch (error) {
    // Of the first it is the refusal of the whole: nothing has started.
    if (!(error instanceof Refusal)) throw error;
    const { code, message } = error;
    return { target: named, status: 'failed', error: { code, message: message.slice(0, 500) } };
  }
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

/** The same for a request that is repeated with its key. */
function groupId({ clock }: ProjectContext, suiteId: string, key: string | undefined): string {
  if (key === undefined) return newId('group', clock());
  return createHash('sha256').update(`eval-run-group:${suiteId}:${key}`).digest('hex').slice(0, 32);
}
