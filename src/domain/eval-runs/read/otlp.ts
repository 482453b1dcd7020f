import { createHash } from 'node:crypto';
import type { Operations } from '../../../contract/index.ts';
import type { InputOf } from '../../../contract/operation.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import * as projects from '../../../platform/database/queries/projects.ts';
import type { Span } from '../../../trials/spans.ts';
import { readTrace, type Trace } from '../../artifacts/traces.ts';
import { openCursor } from '../../base/paging.ts';
import { noSuchProject, projectOf, viewerOf } from '../../context/access.ts';
import type { Context } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import type { TrialDetail } from '../stored.ts';

type Place = [completedAt: number, run: string, position: number];

/** Characters of traces per response; the first trace is included whatever its length. */
const maxTraced = 16 * 1024 * 1024;

/** Ended trials, ordered so that new ones come last: a cursor stays valid for polling later. */
export const exportTracesOtlp: Verb<'exportTracesOtlp'> = async (context, input) => {
  const projectId = await projectAsked(context, input.projectId);
  const scope = ['otlp-by-end', projectId];
  let place: Place =
    input.cursor === undefined
      ? [0, '', -1]
      : (JSON.parse(openCursor(context, scope, input.cursor)) as Place);
  const [afterTime, afterRun, afterPosition] = place;
  const wanted = input.sourceTypes?.split(',').map((type) => type.trim()) ?? ['eval'];
  const rows = wanted.includes('eval')
    ? await context.db.rows(trials.exportable, {
        projectId,
        afterTime,
        afterRun,
        afterPosition,
        most: input.limit,
      })
    : [];
  const resourceSpans: Record<string, unknown>[] = [];
  let [traced, taken] = [0, 0];
  for (const row of rows) {
    const { trace, length } = await readTrace(context, row);
    traced += length;
    if (traced > maxTraced && taken > 0) break;
    if (trace) resourceSpans.push(resourceOf(projectId, row, trace, input));
    place = [row.completedAt ?? 0, row.runId, row.position];
    taken++;
  }
  return {
    resourceSpans,
    nextCursor: context.cursors.seal(scope, JSON.stringify(place)),
    complete: taken === rows.length && rows.length < input.limit,
  };
};

async function projectAsked(context: Context, projectId: string | undefined): Promise<string> {
  if (projectId !== undefined) return (await projectOf(context, projectId)).id;
  const project = await context.db.row(projects.findDefault, viewerOf(context));
  if (!project) throw noSuchProject();
  return project.id;
}

function resourceOf(
  projectId: string,
  row: trials.ExportedTrial,
  trace: Trace,
  { includeContent }: InputOf<Operations['exportTracesOtlp']>,
): Record<string, unknown> {
  const detail = row.detail as TrialDetail;
  const traceId = hex(row.id, 32);
  const start = row.startedAt ?? row.finishedAt;
  const rootId = hex(`${row.id} root`, 16);
  const root = {
    traceId,
    spanId: rootId,
    name: `eval ${detail.title}`,
    kind: 1,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(Math.max(row.finishedAt, start + 1)),
    attributes: attributes({
      'drydock.eval.run_id': row.runId,
      'drydock.eval.suite_id': row.suiteId,
      'drydock.eval.case_id': row.caseId,
      'drydock.eval.iteration': row.number,
      'drydock.eval.status': row.status,
      'drydock.eval.result': row.result ?? 'none',
      'gen_ai.request.model': detail.model,
      ...(includeContent === 'true' && { 'drydock.eval.messages': JSON.stringify(trace.messages) }),
    }),
    status: { code: row.result === 'passed' ? 1 : 2 },
  };
  const spans = ((trace.spans ?? []) as unknown as Span[])
    .filter(isShown)
    .map((span) => spanOf(span, traceId, rootId, row.id, start));
  return {
    resource: { attributes: attributes({ 'service.name': 'drydock', 'drydock.project_id': projectId }) },
    scopeSpans: [{ scope: { name: 'drydock.evals' }, spans: [root, ...spans] }],
  };
}

/** Skips malformed spans: traces of reported trials may contain anything. */
function isShown({ id, name, category, startMs, endMs }: Partial<Span>): boolean {
  return (
    [id, name, category].every((text) => typeof text === 'string') &&
    [startMs, endMs].every((time) => Number.isSafeInteger(Math.round(time ?? Number.NaN)))
  );
}

function spanOf(
  span: Span,
  traceId: string,
  rootId: string,
  trialId: string,
  start: number,
): Record<string, unknown> {
  const { id, parentId, name, category, startMs, endMs, status, ...rest } = span;
  return {
    traceId,
    spanId: hex(`${trialId} ${id}`, 16),
    parentSpanId: parentId === undefined ? rootId : hex(`${trialId} ${parentId}`, 16),
    name,
    kind: category === 'step' ? 1 : 3,
    startTimeUnixNano: nanos(start + startMs),
    endTimeUnixNano: nanos(start + endMs),
    attributes: attributes({
      'drydock.span.category': category,
      ...Object.fromEntries(
        Object.entries(rest).flatMap(([key, value]) =>
          typeof value === 'string' || typeof value === 'number'
            ? [[attributeNames[key] ?? `drydock.${key}`, value]]
            : [],
        ),
      ),
    }),
    status: { code: status === 'error' ? 2 : 1 },
  };
}

const attributeNames: Record<string, string> = {
  modelId: 'gen_ai.request.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  finishReason: 'gen_ai.response.finish_reason',
  responseId: 'gen_ai.response.id',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
};

function attributes(values: Record<string, string | number>): Record<string, unknown>[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }));
}

/** OTLP requires hex IDs; ours are text, so they are hashed. */
function hex(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

function nanos(ms: number): string {
  return `${Math.round(ms)}000000`;
}
