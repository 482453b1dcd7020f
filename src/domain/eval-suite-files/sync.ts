import type { ReceivedBytes } from '../../contract/operation.ts';
import { problemsFound } from '../../suite-files/problem.ts';
import type { ReadSuiteFile } from '../../suite-files/read.ts';
import { readInWorker } from '../../suite-files/worker.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { vocabularyOf } from '../eval-suites/cases/vocabulary.ts';
import { presentSuite } from '../eval-suites/present.ts';
import { requireSchedulable } from '../eval-suites/schedule.ts';
import type { SuiteFields } from '../eval-suites/suite.ts';
import { syncCases } from './cases.ts';
import { saveDeclared } from './declared-servers.ts';
import { settingsIn, withoutGaps } from './definition.ts';
import { addOwned, ownedSuite, updateOwned } from './owned.ts';
import { orRefuse } from './problems.ts';
import { targetIn } from './resolve-target.ts';

export const syncEvalSuiteFile: Verb<'syncEvalSuiteFile'> = async (context, input) => {
  const { declaredSuiteId: declaredId } = input;
  // Parsed before any lock is taken.
  const read = await orRefuse(readUpload(context.actor.organization.id, input.upload, declaredId));
  const { sourceHash } = read;
  const file = { declaredId, sourceHash };
  const write = writeInProject(context, async (db) => {
    const saved = await saveDeclared(context, db, read);
    const target = await targetIn(db, context.project.id, read);
    const fields = { ...fieldsOf(read), ...target };
    const known = await ownedSuite(context, db, declaredId);
    if (known) requireSchedulable(known, target.environmentIds);
    const held = known ?? (await addOwned(context, db, fields, file));
    const { counts, changed: casesChanged } = await syncCases(context, db, held.id, read);
    const { suite, changed } = known
      ? await updateOwned(context, db, known, fields, file, casesChanged ? ['cases'] : [])
      : { suite: held, changed: true };
    await audit(db, context, 'eval-suite.sync', suite.id);
    return {
      created: !known,
      unchanged: !changed,
      suite: await presentSuite(db, suite, vocabularyOf(input)),
      cases: counts,
      ...(saved.length > 0 && { servers: saved }),
      sourceHash,
    };
  });
  return orRefuse(write);
};

async function readUpload(
  owner: string,
  { contentType, bytes }: ReceivedBytes,
  declaredId: string,
): Promise<ReadSuiteFile> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const read = await readInWorker(
    owner,
    Buffer.concat(chunks),
    /json/i.test(contentType) ? 'suite.json' : 'suite.yaml',
  );
  const path = 'suite.id';
  if (read.file.suite.id !== declaredId)
    throw problemsFound([
      {
        line: 1,
        column: 1,
        ...read.places[path],
        path,
        code: 'SUITE_ID_MISMATCH',
        message: `Must be the ID that the request names, ${declaredId}`,
      },
    ]);
  return read;
}

function fieldsOf({ file }: ReadSuiteFile): Omit<SuiteFields, 'serverIds' | 'environmentIds' | 'hosts'> {
  const { suite, defaults, provenance } = file;
  const { model, provider, systemPrompt, temperature } = defaults;
  return {
    name: suite.name,
    description: suite.description || null,
    execution: withoutGaps({ model, provider, systemPrompt, temperature }),
    settings: settingsIn(file),
    provenance: provenance ?? null,
  };
}
