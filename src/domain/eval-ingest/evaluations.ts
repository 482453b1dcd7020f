import type { reportCaseRunEvaluations as declaration } from '../../contract/eval-ingest.ts';
import type { InputOf } from '../../contract/operation.ts';
import { type EvaluationConfig, isIntact, type Score } from '../../evaluation/index.ts';
import * as evaluations from '../../platform/database/queries/case-evaluations.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import { storableJson } from '../../platform/json/storable.ts';
import { conflict, found, invalid } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { hashOf } from './header.ts';
import { reportedRun } from './runs.ts';

type Evaluation = InputOf<typeof declaration>['body']['evaluations'][number];

/** Maximum number of bytes of JSON per evaluation. */
const maxBytes = 64 * 1024;
const maxCases = 1_000;
/** Maximum number of characters of all evaluations of a run together, since they are read with the run. */
const maxOfAll = 4 * 1024 * 1024;

export const reportCaseRunEvaluations: Verb<'reportCaseRunEvaluations'> = async (context, { body }) => {
  const { runId, externalRunId } = body;
  const run = await reportedRun(context, runId, externalRunId);
  const given = new Map<string, { evaluation: Evaluation; contentHash: string }>();
  for (const [index, evaluation] of body.evaluations.entries()) {
    const caseKey = checked(evaluation, index);
    if (given.has(caseKey)) throw invalid(`evaluations.${index}: The case ${caseKey} is listed twice`);
    given.set(caseKey, { evaluation, contentHash: hashOf(evaluation) });
  }
  return writeInProject(context, async (db) => {
    // The lock serializes concurrent requests for the same case.
    found(await db.row(runs.lock, { id: run.id }), 'run');
    const caseKeys = [...given.keys()];
    for (const known of await db.rows(evaluations.hashes, { runId: run.id, caseKeys })) {
      if (given.get(known.caseKey)?.contentHash !== known.contentHash)
        throw conflict(
          `The evaluation of ${known.caseKey} was already sent with different content`,
          'EVALUATION_CONFLICT',
          { caseKey: known.caseKey },
        );
      given.delete(known.caseKey);
    }
    const fresh = [...given];
    const stored = fresh.map(([, { evaluation }]) => storableJson(evaluation));
    const { count, size } = await db.one(evaluations.taken, { runId: run.id });
    if (count + fresh.length > maxCases)
      throw conflict(`A run can have evaluations of at most ${maxCases} cases`, 'LIMIT_REACHED', {
        limit: maxCases,
      });
    if (stored.reduce((sum, { length }) => sum + length, size) > maxOfAll)
      throw conflict(
        `The evaluations of a run are at most ${maxOfAll.toLocaleString('en')} characters of JSON together`,
        'LIMIT_REACHED',
        { limit: maxOfAll },
      );
    if (fresh.length > 0)
      await db.run(evaluations.insert, {
        runId: run.id,
        caseKeys: fresh.map(([caseKey]) => caseKey),
        evaluations: stored,
        contentHashes: fresh.map(([, { contentHash }]) => contentHash),
      });
    await audit(db, context, 'eval-run.evaluate-cases', run.id);
    return { ok: true, runId: run.id, persistedCases: fresh.length };
  });
};

/**
 * Returns the case key of an evaluation. Refuses an evaluation that is too large, would decide the verdict, or has
 * hashes that do not fit its content.
 */
function checked(evaluation: Evaluation, index: number): string {
  const at = `evaluations.${index}`;
  const caseKey = evaluation.externalCaseId ?? evaluation.caseId ?? evaluation.caseTitle;
  if (!caseKey) throw invalid(`${at}: Give caseId, externalCaseId or caseTitle`);
  if (Buffer.byteLength(JSON.stringify(evaluation)) > maxBytes)
    throw invalid(`${at}: At most ${maxBytes.toLocaleString('en')} bytes of JSON`);
  const { evaluationConfig: config, scores } = evaluation;
  const deciding = config?.definitions.find(({ role }) => role !== undefined && role !== 'advisory');
  if (deciding)
    throw invalid(
      `${at}.evaluationConfig: The definition ${deciding.scorerId} is ${String(deciding['role'])}; only advisory ones are taken here`,
    );
  if (config && !isIntact(config as unknown as EvaluationConfig, (scores ?? []) as unknown as Score[]))
    throw invalid(`${at}.evaluationConfig: The hashes do not match its definitions and scores`);
  return caseKey;
}
