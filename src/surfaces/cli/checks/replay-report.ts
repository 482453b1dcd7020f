import type { Client } from '../../client/index.ts';
import type { Report, ReportCase } from '../../findings/report.ts';

type Page = Awaited<ReturnType<Client['replayEvalRun']>>;
type Replayed = Page['items'][number];
export type Replay = Pick<Page, 'summary' | 'items' | 'truncated'>;

/** Joins the pages. The overall result follows from the sums of the counts. */
export function joined(pages: readonly Page[]): Replay {
  const summary = { calls: 0, same: 0, content: 0, schema: 0, error: 0, skipped: 0, unavailable: 0 };
  for (const page of pages)
    for (const name of Object.keys(summary) as (keyof typeof summary)[]) summary[name] += page.summary[name];
  const failed = summary.schema + summary.error > 0;
  const whole = summary.unavailable === 0 && summary.same + summary.content > 0;
  return {
    summary: { ...summary, result: failed ? 'failed' : whole ? 'passed' : 'incomplete' },
    items: pages.flatMap(({ items }) => items),
    truncated: pages.some(({ truncated }) => truncated),
  };
}

export function replayReport(runId: string, replay: Replay): Report {
  const title = `Replay of ${runId}`;
  return {
    title,
    summary: sentence(replay),
    suites: [{ name: title, cases: replay.items.map(caseOf) }],
    tables: [
      {
        columns: ['Outcome', 'Call', 'What'],
        rows: notable(replay).map((call) => [call.outcome, callOf(call), whatOf(call)]),
      },
    ],
  };
}

const order: Replayed['outcome'][] = ['error', 'schema', 'unavailable', 'content', 'skipped'];

/** The calls whose result changed, worst first. */
function notable({ items }: Replay): Replayed[] {
  return order.flatMap((outcome) => items.filter((item) => item.outcome === outcome));
}

function sentence({ summary, truncated }: Replay): string {
  const { result, calls, same, content, schema, error, skipped, unavailable } = summary;
  const parts = Object.entries({ same, content, schema, error, unavailable, skipped })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
  const more = truncated ? ' Not all calls of the run were replayed.' : '';
  return `${result.toUpperCase()}: ${calls} calls${parts.length > 0 ? `, ${parts.join(', ')}` : ''}.${more}`;
}

function callOf({ toolName, arguments: given }: Replayed): string {
  return `${toolName} ${JSON.stringify(given)}`;
}

function whatOf({ reason, pointers, before, after, outcome }: Replayed): string {
  const said = reason ?? (outcome === 'content' ? 'Different values' : '');
  const where = pointers.length > 0 ? ` at ${pointers.slice(0, 3).join(', ')}` : '';
  const now = outcome === 'error' && after ? `: ${after.preview}` : '';
  const then =
    outcome === 'error' && !after?.isError && before?.isError ? ` (before: ${before.preview})` : '';
  return `${said}${where}${now}${then}`;
}

function caseOf(call: Replayed): ReportCase {
  const { outcome, durationMs } = call;
  const details = [call.before, call.after]
    .flatMap((side, nth) => (side ? [`${nth === 0 ? 'before' : 'after'}: ${side.preview}`] : []))
    .join('\n');
  const common = { name: callOf(call).slice(0, 300).toWellFormed(), durationMs };
  switch (outcome) {
    case 'same':
      return { ...common, outcome: 'passed' };
    case 'content':
      return { ...common, outcome: 'passed', details: `${whatOf(call)}\n${details}` };
    case 'skipped':
      return { ...common, outcome: 'skipped', message: whatOf(call) };
    case 'unavailable':
      return { ...common, outcome: 'error', message: whatOf(call) };
    default:
      return { ...common, outcome: 'failed', message: `${outcome}: ${whatOf(call)}`, details };
  }
}
