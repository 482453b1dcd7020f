import { Refusal } from '../../contract/errors.ts';
import { createProjectServer } from '../../contract/servers.ts';
import type { Db } from '../../platform/database/database.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { type Problem, problemsFound } from '../../suite-files/problem.ts';
import type { ReadSuiteFile } from '../../suite-files/read.ts';
import { type FileServer, needsEnvironment } from '../../suite-files/servers.ts';
import type { ProjectContext } from '../context/context.ts';
import { addServer, checkServer } from '../servers/create.ts';
import { refuseTakenName } from '../servers/rules.ts';

interface Saved {
  id: string;
  name: string;
}

/**
 * Creates the file's servers that the project lacks, by name. Existing servers are left unchanged: a file on one
 * branch must not redirect a server others use. Variables are not expanded, since they would be the service's own.
 */
export async function saveDeclared(
  context: ProjectContext,
  db: Db,
  { file, places }: ReadSuiteFile,
): Promise<Saved[]> {
  const declared = Object.entries(file.servers ?? {});
  if (declared.length === 0) return [];
  const known = await db.rows(servers.called, {
    projectId: context.project.id,
    idsOrNames: declared.map(([name]) => name),
  });
  const problems: Problem[] = [];
  const saved: Saved[] = [];
  for (const [name, server] of declared) {
    if (known.some((one) => one.name === name)) continue;
    const path = `servers.${name}`;
    const made = await save(context, db, name, server);
    if (typeof made === 'string')
      problems.push({ line: 1, column: 1, ...places[path], path, ...refused(made) });
    else saved.push(made);
  }
  if (problems.length > 0) throw problemsFound(problems);
  return saved;
}

function refused(message: string): Pick<Problem, 'code' | 'message'> {
  return { code: 'SERVER_NOT_SAVED', message };
}

/** The saved server, or why it cannot be saved. */
async function save(
  context: ProjectContext,
  db: Db,
  name: string,
  server: FileServer,
): Promise<Saved | string> {
  if (needsEnvironment(server))
    return 'Contains ${…}, which only the command line replaces: use drydock evals run, or save the server first';
  const parsed = createProjectServer.body.safeParse({ name, ...server });
  if (!parsed.success) return parsed.error.issues[0]?.message ?? 'Cannot be saved';
  const problem = await checkServer({ ...context, db }, parsed.data).catch((error: unknown) => {
    if (error instanceof Refusal) return `Cannot be saved: ${error.message}`;
    throw error;
  });
  if (problem !== undefined) return problem;
  const { id } = await addServer(context, db, parsed.data).catch(refuseTakenName(name));
  return { id, name };
}
