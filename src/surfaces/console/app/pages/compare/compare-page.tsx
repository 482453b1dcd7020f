import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ask, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Rate } from '../../charts/rate.tsx';
import common from '../../kit/common.module.css';
import { Select } from '../../kit/field.tsx';
import { Empty } from '../../kit/notice.tsx';
import { cost, count, counted } from '../../kit/numbers.ts';
import { Page, Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { type State, StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { duration, Time } from '../../kit/time.tsx';
import { runOf } from '../runs/queries.ts';
import { coverageText, isOpen } from '../runs/states.ts';
import type { CompareSearch } from './address.ts';
import css from './compare.module.css';
import {
  type Compared,
  type Comparison,
  chanceText,
  type Diff,
  deltaText,
  inOrder,
  isChanged,
  pointsText,
  stateOfCase,
  summaryText,
} from './compare-labels.ts';

const route = '/projects/$projectId/runs/$runId/compare';

/** Compares two runs of a suite by case, with statistical significance. */
export function ComparePage() {
  const { projectId, runId } = useParams({ from: route });
  const { with: other } = useSearch({ from: route });
  const input = { projectId, runId, baseRunId: other };
  const run = useQuery(runOf({ projectId, runId }));
  const comparison = useQuery(ask('compareEvalRun', input));
  const number = run.data ? ` #${run.data.runNumber}` : '';
  const crumbs = [
    <Link key="runs" to="/projects/$projectId/runs" params={{ projectId }}>
      Runs
    </Link>,
    <Link key="run" to="/projects/$projectId/runs/$runId" params={{ projectId, runId }}>
      Run{number}
    </Link>,
  ];
  const { data } = comparison;
  const title = data
    ? `${data.suite.name} #${data.compareRun.runNumber} against #${data.baseRun.runNumber}`
    : 'Compare';
  return (
    <Page
      title={title}
      name={data ? title : 'Compare'}
      crumbs={crumbs}
      actions={
        <>
          <ApiExample operation="compareEvalRun" input={input} />
          {run.data && (
            <ChooseBase
              projectId={projectId}
              suiteId={run.data.suiteId}
              runId={runId}
              chosen={data?.baseRun.id ?? other}
            />
          )}
        </>
      }
    >
      <QueryState
        of={comparison}
        lines={8}
        missing={
          <Empty title="No run to compare with">
            {comparison.error?.message}. Choose one above, or run the suite again.
          </Empty>
        }
      />
      {data && <Body comparison={data} projectId={projectId} />}
    </Page>
  );
}

function ChooseBase({
  projectId,
  suiteId,
  runId,
  chosen,
}: {
  projectId: string;
  suiteId: string;
  runId: string;
  chosen: string | undefined;
}) {
  const navigate = useNavigate({ from: route });
  const runs = useQuery(ask('listEvalSuiteRuns', { projectId, suiteId, limit: 100 }));
  const options = (runs.data?.items ?? [])
    .filter((run) => run.id !== runId && !isOpen(run))
    .map((run) => {
      const covers = coverageText(run);
      const words = [
        `#${run.runNumber}`,
        (run.result ?? run.status).replace('_', ' '),
        ...(covers === undefined ? [] : [covers]),
      ];
      return [run.id, words.join(', ')] as const;
    });
  return (
    <Select
      aria-label="Compare with"
      value={chosen ?? ''}
      onChange={(event) =>
        void navigate({
          search: (before) => ({ ...before, with: event.target.value || undefined }),
          replace: true,
        })
      }
      options={chosen === undefined ? [['', 'Compare with…'], ...options] : options}
    />
  );
}

function Body({ comparison, projectId }: { comparison: Comparison; projectId: string }) {
  const { all } = useSearch({ from: route });
  const { difference, cases, scoreContract } = comparison;
  const changed = inOrder(cases.filter(isChanged));
  const shown = all ? inOrder(cases) : changed;
  return (
    <>
      <div>
        <p className={common.sentence}>{summaryText(comparison)}</p>
        {difference ? (
          <p className={css.whole}>
            {pointsText(difference.change)} overall:
            <StateMark state={stateOfChange(difference)}>{chanceText(difference)}</StateMark>
          </p>
        ) : (
          <p className={css.soft}>The runs have no case in common that was judged in both.</p>
        )}
        {scoreContract.evaluationConfigChanged && (
          <p className={css.soft}>The pass criteria changed between the runs.</p>
        )}
      </div>
      <Totals comparison={comparison} projectId={projectId} />
      <Section
        title="Cases"
        actions={
          <Link
            from={route}
            to="."
            search={(before: CompareSearch) => ({ ...before, all: before.all ? undefined : (true as const) })}
            replace
          >
            {all ? `Show changes only (${changed.length})` : `Show all ${counted(cases.length, 'case')}`}
          </Link>
        }
      >
        {shown.length === 0 ? (
          <Empty
            title="No case changed"
            action={
              <Link from={route} to="." search={(before) => ({ ...before, all: true as const })} replace>
                Show all {counted(cases.length, 'case')}
              </Link>
            }
          >
            All cases are unchanged, and no pass rate changed significantly.
          </Empty>
        ) : (
          <Table
            label="Cases in both runs"
            columns={columnsOf(comparison, projectId)}
            rows={shown}
            keyOf={({ caseKey }) => caseKey}
          />
        )}
      </Section>
    </>
  );
}

function stateOfChange({ significant, change }: { significant: boolean; change: number }): State {
  if (!significant) return 'notEstablished';
  return change < 0 ? 'failed' : 'passed';
}

/** Metrics of both runs as a whole: before, after and difference. */
function Totals({ comparison, projectId }: { comparison: Comparison; projectId: string }) {
  const { baseRun, compareRun, metrics } = comparison;
  const rows: [name: string, diff: Diff, show: (value: number) => string][] = [
    ['Duration', metrics.wallDurationMs, duration],
    ['Tokens', metrics.totalTokens, (value) => count(Math.round(value))],
    ['Cost', metrics.estimatedCostUsd, cost],
  ];
  return (
    <div className={css.frame}>
      <table className={css.totals} aria-label="Overall">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Metric</span>
            </th>
            {[baseRun, compareRun].map(({ id, runNumber, createdAt, effectiveModelId }) => (
              <th key={id} scope="col">
                <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: id }}>
                  #{runNumber}
                </Link>{' '}
                <Time at={createdAt} />
                {effectiveModelId !== undefined && <span className={css.soft}> {effectiveModelId}</span>}
              </th>
            ))}
            <th scope="col">Difference</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Trials passed</th>
            {[baseRun, compareRun].map(({ id, summary }) => (
              <td key={id}>
                {summary ? <Rate passed={summary.passed} trials={summary.total} /> : 'not measured'}
              </td>
            ))}
            <td>
              {comparison.passSummary.passRatePercent.delta === null
                ? '–'
                : pointsText(comparison.passSummary.passRatePercent.delta / 100)}
            </td>
          </tr>
          {rows.map(([name, diff, show]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{diff.base === null ? 'unknown' : show(diff.base)}</td>
              <td>{diff.compare === null ? 'unknown' : show(diff.compare)}</td>
              <td>{deltaText(diff, show) ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function columnsOf({ baseRun, compareRun }: Comparison, projectId: string): Column<Compared>[] {
  return [
    {
      name: 'Case',
      main: true,
      cell: ({ title, configChanged, status, base, compare }) => (
        <span className={css.case}>
          {title}
          {configChanged && status !== 'changed' && <span className={css.soft}> (edited)</span>}
          <Link
            to="/projects/$projectId/runs/$runId/compare/traces"
            params={{ projectId, runId: compareRun.id }}
            search={{
              with: baseRun.id,
              base: base.representativeIterationId ?? undefined,
              trial: compare.representativeIterationId ?? undefined,
            }}
            className={css.traces}
            aria-label={`Traces of ${title} side by side`}
          >
            Traces side by side
          </Link>
        </span>
      ),
    },
    {
      name: 'Change',
      cell: (one) => {
        const { state, words } = stateOfCase(one);
        return <StateMark state={state}>{words}</StateMark>;
      },
    },
    {
      name: 'Passed',
      cell: ({ base, compare }) => (
        <span className={css.difference}>
          <SideRate run={baseRun} side={base} />
          <SideRate run={compareRun} side={compare} />
        </span>
      ),
    },
    {
      name: 'Difference',
      cell: ({ difference }) =>
        difference && (
          <span className={css.difference}>
            <span>{pointsText(difference.change)}</span>
            <StateMark state={stateOfChange(difference)}>{chanceText(difference)}</StateMark>
            {difference.interval && (
              <span className={css.soft}>
                {pointsText(difference.interval.lower)} to {pointsText(difference.interval.upper)}
              </span>
            )}
          </span>
        ),
    },
    { name: 'Change of medians', cell: ({ metrics }) => <Medians metrics={metrics} /> },
  ];
}

function SideRate({ run, side }: { run: Comparison['baseRun']; side: Compared['base'] }) {
  return (
    <span className={css.side}>
      <span className={css.soft}>#{run.runNumber}</span>
      {side.outcome === 'absent' ? 'not in run' : <Rate passed={side.passed} trials={side.trials} />}
    </span>
  );
}

function Medians({ metrics: { durationMs, totalTokens, estimatedCostUsd } }: Pick<Compared, 'metrics'>) {
  const lines: [name: string, words: string | undefined][] = [
    ['duration', deltaText(durationMs, duration)],
    ['tokens', deltaText(totalTokens, (value) => count(Math.round(value)))],
    ['cost', deltaText(estimatedCostUsd, cost)],
  ];
  return (
    <span className={css.difference}>
      {lines.map(
        ([name, words]) =>
          words !== undefined && (
            <span key={name} className={css.line}>
              <span className={css.soft}>{name}</span> {words}
            </span>
          ),
      )}
    </span>
  );
}
