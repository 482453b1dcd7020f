import type { Operations } from '../../../contract/index.ts';
import type { InputOf, OutputOf } from '../../../contract/operation.ts';
import { publicMatchOptions } from '../../../evaluation/index.ts';
import { identityOf } from '../../base/idempotency.ts';
import { invalid } from '../../base/refusals.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { inlineCases } from '../../eval-suites/cases/definition.ts';
import { vocabularyOf } from '../../eval-suites/cases/vocabulary.ts';
import { hostsCalled } from '../../eval-suites/parts.ts';
import { minimumOf, newSettings } from '../../eval-suites/settings.ts';
import { findSuite, type Suite } from '../../eval-suites/suite.ts';
import { type Selection, selectTarget } from '../../execution/selection.ts';
import { serversCalled } from '../../servers/called.ts';
import type { Launch, NewSuite } from './launch.ts';
import { replayed, type Started } from './replay.ts';
import { startRun } from './start.ts';

type Input = InputOf<Operations['createEvalRun']>;
type Body = Input['body'];
type Answer = OutputOf<Operations['createEvalRun']>;

export const createEvalRun: Verb<'createEvalRun'> = async (context, input) => {
  const { body } = input;
  checkCombination(body);
  const identity = identityOf(context, input, body.idempotencyKey, body);
  const earlier = await replayed(context, identity);
  if (earlier) return answerOf(earlier);
  const tests = body.tests && (await inlineCases(body.tests, vocabularyOf(input)));
  const { suite, selection } = await placeOf(context, body);
  const launch: Launch = {
    suite,
    selection,
    tests,
    ...sharedLaunch(body),
    ...identity,
    overrides: { ...sharedOverrides(body), model: body.model, provider: body.provider },
    runGroupId: body.runGroupId,
    isTry: body.purpose === 'try',
    source: 'api',
    launcher: launcherOf(input),
    ci: input.headers['x-mcpjam-ci'],
  };
  return answerOf(await startRun(context, launch));
};

function checkCombination(body: Body): void {
  const { suiteId, suiteName, tests, serverIds, environmentId, hosts } = body;
  if (suiteId === undefined) {
    if (suiteName === undefined) throw invalid('Provide suiteId or suiteName');
    if (!tests) throw invalid('tests: Required for a new suite');
    if (environmentId !== undefined) throw invalid('environmentId: Requires a saved suite. Send suiteId');
    if (!serverIds) throw invalid('serverIds: Required for a new suite');
    return;
  }
  if (hosts) throw invalid('hosts: Only for a new suite; edit the suite instead');
  if (tests && body.caseIds) throw invalid('caseIds: Cannot be combined with tests. Send only one');
}

/** The suite, saved or new, and where the run takes place. */
async function placeOf(
  context: ProjectContext,
  body: Body,
): Promise<{ suite: Suite | NewSuite; selection: Selection }> {
  if (body.suiteId !== undefined) {
    const suite = await findSuite(context, body.suiteId);
    return { suite, selection: await selectTarget(context, suite, body) };
  }
  const { db, project } = context;
  const servers = await serversCalled(db, project.id, body.serverIds ?? []);
  const { hosts } = await hostsCalled(db, project.id, body.hosts ?? []);
  const suite: NewSuite = {
    isNew: true,
    name: body.suiteName ?? '',
    description: body.suiteDescription || null,
    serverIds: servers.map(({ id }) => id),
    execution:
      body.model === undefined
        ? null
        : { model: body.model, ...(body.provider !== undefined && { provider: body.provider }) },
    hosts,
    settings: newSettings(body),
  };
  const unsaved = { ...suite, environmentIds: [] as string[] } as unknown as Suite;
  return { suite, selection: await selectTarget(context, unsaved, body) };
}

type Shared = Pick<
  Body,
  | 'iterationOverride'
  | 'caseIds'
  | 'matchOptionsOverride'
  | 'skillsOverride'
  | 'notes'
  | 'passCriteria'
  | 'modelApiKeys'
  | 'importApprovals'
>;

/** Options that a run and a run group have in common. */
export function sharedLaunch(
  body: Shared,
): Pick<Launch, 'caseIds' | 'minimumPassRate' | 'excludeSkills' | 'notes'> {
  return {
    caseIds: body.caseIds,
    minimumPassRate: minimumOf(body.passCriteria),
    excludeSkills: body.skillsOverride === 'exclude',
    notes: body.notes,
  };
}

export function sharedOverrides(body: Shared): Launch['overrides'] {
  return {
    iterationOverride: body.iterationOverride,
    matchOptionsOverride: body.matchOptionsOverride && publicMatchOptions(body.matchOptionsOverride),
    apiKeys: body.modelApiKeys ?? {},
    approved: new Map(body.importApprovals?.map(({ testCaseId, reason }) => [testCaseId, reason])),
  };
}

const launcherKinds = ['cli', 'mcp', 'github_action'];

/** A label for statistics; unknown kinds are dropped. */
export function launcherOf({ headers }: Pick<Input, 'headers'>): Record<string, string> | undefined {
  const launcher = headers['x-mcpjam-launcher'];
  return launcher && launcherKinds.includes(launcher['kind'] ?? '') ? launcher : undefined;
}

export function answerOf({ run, servers, committed, deduped }: Started): Answer {
  return {
    runId: run.id,
    suiteId: run.suiteId,
    status: run.status,
    ...(deduped && { deduped: true as const }),
    ...(run.runGroupId !== null && { runGroupId: run.runGroupId }),
    servers,
    caseUpsert: { committed, failed: [] },
    environment: run.environment,
  };
}
