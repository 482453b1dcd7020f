import type { Operations } from '../../../contract/index.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { identityOf } from '../../base/idempotency.ts';
import { invalid } from '../../base/refusals.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { inlineCases } from '../../eval-suites/cases/definition.ts';
import { vocabularyOf } from '../../eval-suites/cases/vocabulary.ts';
import { hostsCalled } from '../../eval-suites/parts.ts';
import { newSettings } from '../../eval-suites/settings.ts';
import { findSuite, type Suite } from '../../eval-suites/suite.ts';
import { type Selection, selectTarget } from '../../execution/selection.ts';
import { serversCalled } from '../../servers/called.ts';
import { answerOf, type Launch, launcherOf, type NewSuite, sharedLaunch, sharedOverrides } from './launch.ts';
import { replayed } from './replay.ts';
import { startRun } from './start.ts';

type Input = InputOf<Operations['createEvalRun']>;
type Body = Input['body'];

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
