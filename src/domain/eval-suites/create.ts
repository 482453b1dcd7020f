import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import { newId } from '../../platform/ids.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { withEachServer } from '../live/each-server.ts';
import { serversCalled } from '../servers/called.ts';
import { addCase } from './cases/add.ts';
import { type CaseDefinition, inlineCases } from './cases/definition.ts';
import { vocabularyOf } from './cases/vocabulary.ts';
import { checkGateBaseline } from './gate-baseline.ts';
import { hostsCalled } from './parts.ts';
import { newSettings } from './settings.ts';
import { type RevisionSource, type Suite, type SuiteFields, sourceOf, suiteOf } from './suite.ts';

export const createEvalSuite: Verb<'createEvalSuite'> = async (context, input) => {
  const { body } = input;
  const projectId = context.project.id;
  const tests = await inlineCases(body.tests, vocabularyOf(input));
  const servers = await serversCalled(context.db, projectId, body.serverIds);
  const { hosts, named } = await hostsCalled(context.db, projectId, body.hosts ?? []);
  // An unreachable server is refused before anything is written.
  await withEachServer(context, servers, async ({ identity }) => identity);
  return writeInProject(context, async (db) => {
    const suite = await addSuite(context, db, {
      name: body.name,
      description: body.description || null,
      serverIds: servers.map(({ id }) => id),
      execution: {
        model: body.model,
        ...(body.provider !== undefined && { provider: body.provider }),
        ...(body.systemPrompt !== undefined && { systemPrompt: body.systemPrompt }),
        ...(body.temperature !== undefined && { temperature: body.temperature }),
      },
      hosts,
      settings: newSettings(body),
    });
    const committed = await addTests(context, db, suite.id, tests);
    await audit(db, context, 'eval-suite.create', suite.id);
    return {
      suiteId: suite.id,
      name: suite.name,
      servers,
      hosts: named,
      caseUpsert: { committed, failed: [] },
    };
  });
};

interface Origin {
  source?: RevisionSource;
  managedBy?: 'app' | 'ci';
  /** The file that owns the suite. */
  file?: { declaredId: string; sourceHash: string };
}

/** Creates a suite with its first revision. */
export async function addSuite(
  context: {
    clock: Clock;
    project: { id: string };
    actor: { user: { id: string }; sessionId?: string | undefined };
  },
  db: Db,
  fields: Omit<SuiteFields, 'environmentIds' | 'provenance'> & Partial<SuiteFields>,
  { source = sourceOf(context.actor), managedBy = 'app', file }: Origin = {},
): Promise<Suite> {
  const { project, actor, clock } = context;
  await checkRoom(context, db, 'eval suites', suites.count, { projectId: project.id });
  await checkGateBaseline(db, project.id, fields.settings);
  const row = await db.one(suites.insert, {
    id: newId('suite', clock()),
    projectId: project.id,
    environmentIds: [],
    provenance: null,
    createdBy: actor.user.id,
    managedBy: file ? 'ci' : managedBy,
    declaredId: file?.declaredId ?? null,
    sourceHash: file?.sourceHash ?? null,
    ...fields,
  });
  await db.run(suites.insertRevision, {
    id: newId('rev', clock()),
    suiteId: row.id,
    number: 1,
    source,
    createdBy: actor.user.id,
    note: null,
    changedFields: ['created'],
    groupId: null,
  });
  return suiteOf(row);
}

async function addTests(
  context: ProjectContext,
  db: Db,
  suiteId: string,
  tests: readonly { title: string; definition: CaseDefinition }[],
): Promise<{ id: string; name: string }[]> {
  const committed: { id: string; name: string }[] = [];
  const taken = { count: 0, size: 0 };
  for (const test of tests) {
    const row = await addCase(context, db, suiteId, { ...test, twins: true }, taken);
    committed.push({ id: row.id, name: row.title });
  }
  return committed;
}
