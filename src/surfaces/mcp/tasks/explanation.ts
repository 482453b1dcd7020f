import { named } from '../../../platform/quoted.ts';
import type { Client } from '../../client/index.ts';
import { changeOf } from '../../findings/run-changes.ts';
import { type Findings, findingsOf, isWaived, percent } from '../../findings/run-findings.ts';
import {
  casesNotPassed,
  excludedText,
  executedItems,
  judgeLines,
  runReport,
} from '../../findings/run-report.ts';
import { type Link, linkTo } from '../addresses.ts';
import type { Calling } from '../agent.ts';
import { type Answer, provenanceLabels } from '../answers.ts';
import { retryingClient, withRateLimitRetry } from '../rate-limit-retry.ts';

type Run = Findings['run'];

const maxTraces = 5;
const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'timed_out']);

/** Explains a run: verdict, figures, failures, changes and links. */
export async function explained(calling: Calling, projectId: string, runId: string): Promise<Answer> {
  const findings = await findingsOf(retryingClient(calling), { projectId, runId });
  const { run, suite } = findings;
  const head = `Run ${run.runNumber} (${run.id}) of suite ${named(suite.name)}`;
  const links = [linkTo('getEvalRun', { projectId, runId }, 'The run'), ...traceLinks(projectId, run)];
  if (!ended.has(run.status)) {
    const { finished, trials } = run.progress;
    return {
      ours: [
        `${head} is ${run.status}: ${finished} of ${trials} trials are done. Call explain_run again later.`,
      ],
      links: links.slice(0, 1),
    };
  }
  const report = runReport(findings);
  const notPassed = report.suites.flatMap(({ cases }) => cases).filter(({ outcome }) => outcome !== 'passed');
  const figures = casesNotPassed(run);
  const passed = (report.suites[0]?.cases ?? []).filter(({ outcome }) => outcome === 'passed').length;
  return {
    ours: [
      `${head}: ${verdictOf(run)}${run.warnings ? ', with warnings' : ''}.`,
      ...figuresOf(run),
      ...warned(run),
      ...(findings.notCompared === undefined ? [] : [`${findings.notCompared}.`]),
      ...judgeLines(findings),
      ...gateOf(findings),
      ...(passed > 0 ? [`${passed} passed ${passed === 1 ? 'case is' : 'cases are'} omitted.`] : []),
    ],
    data: {
      provenance: provenanceLabels.run,
      value: {
        summary: report.summary,
        warnings: run.warnings,
        notPassed: notPassed.map(({ name, outcome, message, details }) => ({
          name,
          outcome,
          why: message,
          details,
        })),
        figures: figures.map(({ title, model, passed, trials, rate, interval, threshold, flaky }) => ({
          case: title,
          model,
          passed: `${passed}/${trials}`,
          rate,
          interval,
          needs: threshold,
          ...(flaky && { flaky }),
        })),
        changed: changedIn(findings),
      },
    },
    full: linkTo('getEvalRun', { projectId, runId }, 'The run'),
    links,
  };
}

function verdictOf(run: Run): string {
  const { verdict, undecided } = run.decisionSummary;
  if (verdict === 'notEstablished')
    return `no verdict, it is ${run.status} (${undecided?.reason ?? 'no reason'})`;
  return verdict === 'failed' && isWaived(run) ? 'failed, and waived' : verdict;
}

/** Codes only: the texts contain case names, which are untrusted. */
function warned({ warnings = [] }: Run): string[] {
  return warnings.length === 0 ? [] : [`Warnings: ${warnings.map(({ code }) => code).join(', ')}.`];
}

function figuresOf({ statistics, usage }: Run): string[] {
  if (!statistics) return [];
  const { passed, trials, rate, interval } = statistics.trials;
  const excluded = statistics.cases.reduce((sum, one) => sum + (one.excluded ?? 0), 0);
  const left = excluded > 0 ? `, ${excludedText(excluded)}` : '';
  const range =
    rate === null || interval === null
      ? ''
      : `: ${percent(rate)}, 95% interval ${percent(interval.lower)} to ${percent(interval.upper)}`;
  return [
    `${passed} of ${trials} trials passed${range}${left}. ${usage.totalTokens} tokens, ${usage.creditsSpent} credits.`,
  ];
}

function gateOf({ gate }: Findings): string[] {
  if (gate.outcome === 'not_configured') return [];
  const failed = gate.conditions
    .filter(({ status }) => status !== 'passed')
    .map(({ condition }) => condition);
  return [
    `Quality gate: ${gate.outcome.replace('_', ' ')}${failed.length > 0 ? ` (${failed.join(', ')})` : ''}.`,
  ];
}

function changedIn({ comparison }: Findings) {
  const changed = comparison?.cases.filter(({ status }) => !status.startsWith('unchanged')) ?? [];
  return changed.length === 0
    ? undefined
    : changed.map(({ title, status, base, compare }) => ({
        case: title,
        change: changeOf({ status }),
        was: `${base.passed}/${base.trials}`,
        is: `${compare.passed}/${compare.trials}`,
      }));
}

/** Links to the trace of the first failing trial of each case. */
function traceLinks(projectId: string, run: Run): Link[] {
  const first = new Map<string, string>();
  for (const { iterationId, ...item } of executedItems(run.decisionSummary.diagnostics.items)) {
    const title = String(item['title']);
    if (!first.has(title)) first.set(title, iterationId);
  }
  return [...first.values()]
    .slice(0, maxTraces)
    .map((iterationId) =>
      linkTo(
        'getEvalIterationTrace',
        { projectId, runId: run.id, iterationId },
        `Trace of trial ${iterationId}`,
      ),
    );
}

/** The latest run of a suite that covered all cases. */
export async function lastRunOf(
  { agent, signal }: Calling,
  projectId: string,
  suiteId: string,
): Promise<Awaited<ReturnType<Client['listEvalSuiteRuns']>>['items'][number] | undefined> {
  const { items } = await withRateLimitRetry(
    () => agent.client.listEvalSuiteRuns({ projectId, suiteId, coverage: 'suite', limit: 1 }, { signal }),
    signal,
  );
  return items[0];
}
