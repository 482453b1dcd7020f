import type { Operations } from '../../contract/index.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { vocabularyOf } from '../eval-suites/cases/vocabulary.ts';
import { presentSuite } from '../eval-suites/present.ts';
import { changedSettings, minimumOf, newSettings, type SuiteSettings } from '../eval-suites/settings.ts';
import type { Suite, SuiteFields } from '../eval-suites/suite.ts';
import { serversCalled } from '../servers/called.ts';
import { addOwned, ownedSuite, updateOwned } from './owned.ts';

type Body = InputOf<Operations['syncFileOwnedEvalSuite']>['body'];

export const syncFileOwnedEvalSuite: Verb<'syncFileOwnedEvalSuite'> = (context, input) => {
  const { declaredSuiteId: declaredId, sourceHash } = input.body;
  const file = { declaredId, sourceHash };
  return writeInProject(context, async (db) => {
    const known = await ownedSuite(context, db, declaredId);
    const fields = await fieldsOf(db, context.project.id, input.body, known);
    const suite = known
      ? (await updateOwned(context, db, known, fields, file)).suite
      : await addOwned(context, db, fields, file);
    await audit(db, context, 'eval-suite.sync', suite.id);
    return { created: !known, suite: await presentSuite(db, suite, vocabularyOf(input)) };
  });
};

async function fieldsOf(
  db: Db,
  projectId: string,
  { name, description, provenance, environment, defaultConfig, ...rest }: Body,
  known: Suite | undefined,
): Promise<Omit<SuiteFields, 'environmentIds'>> {
  const named = environment && (await serversCalled(db, projectId, namesIn(environment)));
  const execution = defaultConfig && {
    model: defaultConfig.modelId,
    systemPrompt: defaultConfig.systemPrompt,
    temperature: defaultConfig.temperature,
  };
  return {
    name,
    description: description || null,
    provenance: provenance ?? null,
    serverIds: named?.map(({ id }) => id) ?? known?.serverIds ?? [],
    execution: execution ?? known?.execution ?? null,
    hosts: known?.hosts ?? [],
    settings: settingsOf(rest, known?.settings ?? newSettings({})),
  };
}

/** The servers of the file: by ID where the file binds the name to one, otherwise by name. */
function namesIn({ servers, serverBindings = [] }: NonNullable<Body['environment']>): string[] {
  const bound = new Map(
    serverBindings.map(({ serverName, projectServerId }) => [serverName, projectServerId ?? serverName]),
  );
  return (servers ?? [...bound.keys()]).map((name) => bound.get(name) ?? name);
}

function settingsOf(
  { verdictPolicyDefaults, minIterations, defaultPassCriteria }: Partial<Body>,
  before: SuiteSettings,
): SuiteSettings {
  // The file's validity rules replace the previous ones entirely.
  const { validity: _, ...without } = before;
  const minimumAccuracy = minimumOf(defaultPassCriteria);
  return changedSettings(
    verdictPolicyDefaults ? without : before,
    {
      ...verdictPolicyDefaults,
      ...(minIterations !== undefined && { minimumIterations: minIterations }),
      ...(minimumAccuracy !== undefined && { minimumAccuracy }),
    },
    '1',
  );
}
