import * as cases from '../../platform/database/queries/eval-cases.ts';
import { SuiteFileProblem } from '../../suite-files/problem.ts';
import { writeInWorker } from '../../suite-files/worker.ts';
import { conflict } from '../base/refusals.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { findSuite } from '../eval-suites/suite.ts';
import { fileOf } from './file-of-suite.ts';
import { namedTarget } from './named-target.ts';

export const exportEvalSuiteFile: Verb<'exportEvalSuiteFile'> = async (context, input) => {
  const { format, schemaVersion } = input;
  const suite = await findSuite(context, input.suiteId);
  const rows = await context.db.rows(cases.all, { suiteId: suite.id, ids: null });
  const { target, notes } = await namedTarget(context.db, suite);
  const file = fileOf(suite, rows, { target, notes, schemaVersion });
  const owner = context.actor.organization.id;
  const text = await writeInWorker(owner, file, { format, schemaUrl: schemaUrl(context) }).catch(
    refuseUnwritable,
  );
  const bytes = new TextEncoder().encode(text);
  return {
    contentType: `application/${format}; charset=utf-8`,
    size: bytes.length,
    bytes: (async function* () {
      yield bytes;
    })(),
  };
};

function schemaUrl({ config: { publicUrl } }: ProjectContext): string | undefined {
  return publicUrl && `${publicUrl.replace(/\/+$/, '')}/schemas/suite-file.json`;
}

/** Some suites cannot be written as files; those from reports, for example, lack a model and servers. */
function refuseUnwritable(error: unknown): never {
  if (!(error instanceof SuiteFileProblem)) throw error;
  const [first] = error.problems;
  throw conflict(
    `The suite cannot be exported: ${first?.path && `${first.path}: `}${first?.message}`,
    'NOT_A_SUITE_FILE',
    { problems: error.problems },
  );
}
