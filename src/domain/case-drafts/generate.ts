import type { Operations } from '../../contract/index.ts';
import type { InputOf } from '../../contract/operation.ts';
import { rehearsalId } from '../../models/catalog.ts';
import { hostedRoute } from '../../models/resolve.ts';
import { asStorable } from '../../platform/json/storable.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { addCase, isCaseRefusal, suiteSize } from '../eval-suites/cases/add.ts';
import { presentCase } from '../eval-suites/cases/present.ts';
import { vocabularyOf } from '../eval-suites/cases/vocabulary.ts';
import { findSuite, refuseOwned, type Suite, withSuite, writeRevision } from '../eval-suites/suite.ts';
import { selectTarget } from '../execution/selection.ts';
import { spend } from '../limits/spend.ts';
import { refuseSpent } from '../limits/spend-budget.ts';
import { drain } from '../live/drain.ts';
import { withEachServer } from '../live/each-server.ts';
import { serversCalled } from '../servers/called.ts';
import { type CaseDraft, draftWithoutModel, mixOf, type ToolToTry, toolsToTry } from './draft.ts';
import { type Drafted, draftWithModel } from './draft-with-model.ts';

type Body = InputOf<Operations['generateEvalCases']>['body'];

export const generateEvalCases: Verb<'generateEvalCases'> = async (context, input) => {
  const { body, suiteId } = input;
  const { declaredSuiteId } = input;
  const suite = await findSuite(context, suiteId);
  // Checked before a server is contacted or anything is spent.
  refuseOwned(suite, declaredSuiteId);
  const tools = await toolsOf(context, suite, body);
  // Without a language model, cases are drafted from the declarations.
  const route = hostedRoute(context.models);
  const reason = `eval cases of ${suiteId}`;
  await context.db.transaction(async (db) => {
    if (route) await refuseSpent(context, db, [route]);
    await spend(context, db, 'generationsPerDay', 1, reason);
  });
  const mix = mixOf(body.caseMix as Parameters<typeof mixOf>[0], body.mode);
  const drafted: Drafted = route
    ? await draftWithModel({ context, route, reason }, tools, mix, body.varyUserStyles ?? false)
    : { drafts: draftWithoutModel(tools, mix), skipped: [] };
  const vocabulary = vocabularyOf(input);
  const write = { suiteId, action: 'eval-case.generate', declaredSuiteId };
  return withSuite(context, write, async (db, current) => {
    const { stored, skipped } = await store(context, db, current, drafted, body);
    if (stored.length > 0) await writeRevision(context, db, current, {}, { changedFields: ['cases'] });
    const negative = stored.filter(
      ({ definition }) => (definition as CaseDraft['definition']).isNegative,
    ).length;
    return {
      generationModel: route?.id ?? rehearsalId,
      created: stored.map((row) => presentCase(row, vocabulary)),
      counts: { normal: stored.length - negative, negative },
      ...(skipped.length > 0 && { skipped }),
    };
  });
};

async function toolsOf(context: ProjectContext, suite: Suite, body: Body): Promise<ToolToTry[]> {
  const { db, project } = context;
  const servers =
    body.servers && suite.environmentIds.length === 0
      ? await serversCalled(db, project.id, body.servers)
      : (await selectTarget(context, suite, { environmentId: body.environmentId })).servers;
  const lists = await withEachServer(context, servers, (conversation) => drain(conversation, 'tools'));
  return lists.flatMap((list) => toolsToTry(list?.items ?? []));
}

async function store(
  context: ProjectContext,
  db: ProjectContext['db'],
  suite: Suite,
  { drafts, skipped }: Drafted,
  { caseModels = [] }: Body,
): Promise<{ stored: Awaited<ReturnType<typeof addCase>>[]; skipped: Drafted['skipped'] }> {
  const stored: Awaited<ReturnType<typeof addCase>>[] = [];
  const left = [...skipped];
  const taken = await suiteSize(db, suite.id);
  for (const { title, definition } of drafts)
    try {
      const given = { title, definition: { ...definition, models: caseModels } };
      stored.push(await addCase(context, db, suite.id, given, taken));
    } catch (error) {
      if (!isCaseRefusal(error)) throw error;
      left.push({ title, reason: asStorable(error.message.slice(0, 300)) });
    }
  return { stored, skipped: left };
}
