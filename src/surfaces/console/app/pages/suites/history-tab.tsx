import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { wilson } from '../../../../../evaluation/statistics/wilson.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Axes } from '../../charts/axes.tsx';
import chart from '../../charts/chart.module.css';
import { Chart, type ChartColumn } from '../../charts/chart.tsx';
import { bandPath, linePath, round } from '../../charts/trend.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Select } from '../../kit/field.tsx';
import { Empty, Note } from '../../kit/notice.tsx';
import { cost, counted, percent } from '../../kit/numbers.ts';
import { QueryState } from '../../kit/query-state.tsx';
import { duration, Time } from '../../kit/time.tsx';
import { type SuiteSearch, spans } from './address.ts';
import { type Figures, figuresOf, quantile } from './past.ts';
import type { Suite } from './suite-labels.ts';
import css from './suites.module.css';
import { usePast } from './use-past.ts';

const route = '/projects/$projectId/suites/$suiteId';

/** History of the latest runs: pass rate, trial duration and cost. */
export function HistoryTab({ suite }: { suite: Suite }) {
  const which = { projectId: suite.projectId, suiteId: suite.id };
  const { last = '20' } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const set = (changed: SuiteSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const { past, runs, reading } = usePast(which, Number(last), 'suite');
  const figures = useMemo(() => figuresOf(past), [past]);
  if (!runs.isSuccess) return <QueryState of={runs} lines={8} />;
  if (past.length === 0)
    return (
      <Empty
        title="No full runs yet"
        action={
          <Button variant="primary" onClick={() => set({ run: true })}>
            Run suite
          </Button>
        }
      >
        Pass rate, duration and cost appear after the first full run.
      </Empty>
    );
  const shared = { projectId: suite.projectId, figures };
  return (
    <>
      <div className={common.row}>
        <Select
          aria-label="Number of runs"
          value={last}
          onChange={(event) => set({ last: event.target.value as SuiteSearch['last'] })}
          options={spans.map((span) => [span, `Last ${span} runs`] as const)}
        />
        <Link to="/projects/$projectId/runs" params={which} search={{ suite: suite.id }}>
          All runs of this suite
        </Link>
        <span className={css.behind} role="status">
          {reading ? 'loading…' : `${counted(figures.length, 'run')} completed`}
        </span>
        <ApiExample
          operation="listEvalSuiteRuns"
          input={{ ...which, coverage: 'suite', limit: Number(last) }}
        />
      </div>
      {figures.length === 0 && !reading && <Note>None of these runs has completed.</Note>}
      {figures.length > 0 && (
        <div className={css.charts}>
          <RateChart {...shared} />
          <TimeChart {...shared} />
          <CostChart {...shared} />
        </div>
      )}
    </>
  );
}

interface ChartProps {
  projectId: string;
  figures: Figures[];
}

const nameOf = ({ run }: Figures): string => `#${run.runNumber}`;

function runColumns(projectId: string): ChartColumn<Figures>[] {
  return [
    {
      name: 'Run',
      value: nameOf,
      shown: (one) => (
        <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: one.run.id }}>
          {nameOf(one)}
        </Link>
      ),
    },
    {
      name: 'Started',
      value: ({ run }) => new Date(run.createdAt).toISOString(),
      shown: ({ run }) => <Time at={run.createdAt} />,
    },
  ];
}

function RateChart({ projectId, figures }: ChartProps) {
  const measured = figures.flatMap((one) => {
    const interval = wilson(one.passed, one.trials);
    return interval ? [{ ...one, rate: one.passed / one.trials, ...interval }] : [];
  });
  const shown = (rate: number): string => percent(round(rate));
  return (
    <Chart
      title="Pass rate"
      note="Trials passed, with the 95% confidence band."
      columns={[
        ...(runColumns(projectId) as ChartColumn<(typeof measured)[number]>[]),
        { name: 'Passed', value: ({ passed }) => passed },
        { name: 'Trials', value: ({ trials }) => trials },
        { name: 'Rate', value: ({ rate }) => rate, shown: ({ rate }) => shown(rate) },
        { name: 'Lower bound', value: ({ lower }) => lower, shown: ({ lower }) => shown(lower) },
        { name: 'Upper bound', value: ({ upper }) => upper, shown: ({ upper }) => shown(upper) },
      ]}
      rows={measured}
      keyOf={({ run }) => run.id}
    >
      {(width) => (
        <Axes
          width={width}
          label={`Pass rate of ${counted(measured.length, 'run')}; last ${shown(measured.at(-1)?.rate ?? 0)}`}
          names={measured.map(nameOf)}
          most={1}
          show={percent}
        >
          {({ x, y }) => (
            <>
              <path d={bandPath(measured, x, y)} className={chart.band} />
              <path d={linePath(measured, x, y)} className={chart.line} />
              {measured.map(({ run, rate, lower, upper }, at) => (
                <g key={run.id}>
                  {measured.length === 1 && (
                    <rect
                      x={x(at) - 6}
                      width={12}
                      y={y(upper)}
                      height={y(lower) - y(upper)}
                      className={chart.band}
                    />
                  )}
                  <circle cx={x(at)} cy={y(rate)} r={3} className={chart.dot}>
                    <title>{`#${run.runNumber}: ${shown(rate)}, between ${shown(lower)} and ${shown(upper)}`}</title>
                  </circle>
                </g>
              ))}
            </>
          )}
        </Axes>
      )}
    </Chart>
  );
}

function TimeChart({ projectId, figures }: ChartProps) {
  const measured = figures.flatMap((one) => {
    const [low, lower, middle, upper, high] = [0, 0.25, 0.5, 0.75, 0.95].map((share) =>
      quantile(one.times, share),
    );
    return middle === undefined
      ? []
      : [{ ...one, low: low ?? 0, lower: lower ?? 0, middle, upper: upper ?? 0, high: high ?? 0 }];
  });
  type Timed = (typeof measured)[number];
  const most = Math.max(0, ...measured.map(({ high }) => high));
  const column = (name: string, of: (one: Timed) => number): ChartColumn<Timed> => ({
    name,
    value: (one) => Math.round(of(one)),
    shown: (one) => duration(of(one)),
  });
  return (
    <Chart
      title="Trial duration"
      note="Box: middle half of the trials, line: median, whiskers: shortest to p95."
      columns={[
        ...(runColumns(projectId) as ChartColumn<Timed>[]),
        column('Shortest ms', ({ low }) => low),
        column('p25 ms', ({ lower }) => lower),
        column('Median ms', ({ middle }) => middle),
        column('p75 ms', ({ upper }) => upper),
        column('p95 ms', ({ high }) => high),
      ]}
      rows={measured}
      keyOf={({ run }) => run.id}
    >
      {(width) => (
        <Axes
          width={width}
          label={`Trial duration in ${counted(measured.length, 'run')}; last median ${duration(measured.at(-1)?.middle ?? 0)}`}
          names={measured.map(nameOf)}
          most={most}
          show={duration}
        >
          {({ x, y, step }) => {
            const half = Math.min(9, step * 0.35);
            return measured.map((one, at) => (
              <g key={one.run.id}>
                <title>{`#${one.run.runNumber}: median ${duration(one.middle)}, p95 ${duration(one.high)}`}</title>
                <line x1={x(at)} x2={x(at)} y1={y(one.high)} y2={y(one.low)} className={chart.whisker} />
                <rect
                  x={x(at) - half}
                  width={half * 2}
                  y={y(one.upper)}
                  height={Math.max(1, y(one.lower) - y(one.upper))}
                  className={chart.box}
                />
                <line
                  x1={x(at) - half}
                  x2={x(at) + half}
                  y1={y(one.middle)}
                  y2={y(one.middle)}
                  className={chart.middle}
                />
              </g>
            ));
          }}
        </Axes>
      )}
    </Chart>
  );
}

function CostChart({ projectId, figures }: ChartProps) {
  const known = figures.filter(({ cost }) => cost !== null);
  const most = Math.max(0, ...known.map((one) => one.cost ?? 0));
  return (
    <Chart
      title="Cost per run"
      note={
        known.length < figures.length
          ? `Estimated from model prices. Excludes ${counted(figures.length - known.length, 'run')} of unknown cost.`
          : 'Estimated from model prices.'
      }
      columns={[
        ...runColumns(projectId),
        {
          name: 'USD',
          value: ({ cost }) => cost,
          shown: (one) => (one.cost === null ? 'unknown' : cost(one.cost)),
        },
      ]}
      rows={figures}
      keyOf={({ run }) => run.id}
    >
      {(width) => (
        <Axes
          width={width}
          label={`Cost of ${counted(figures.length, 'run')}`}
          names={figures.map(nameOf)}
          most={most}
          show={cost}
        >
          {({ x, y, step }) =>
            figures.map((one, at) =>
              one.cost === null ? null : (
                <rect
                  key={one.run.id}
                  x={x(at) - Math.min(10, step * 0.35)}
                  width={Math.min(20, step * 0.7)}
                  y={Math.min(y(one.cost), y(0) - 1)}
                  height={Math.max(1, y(0) - y(one.cost))}
                  className={chart.bar}
                >
                  <title>{`#${one.run.runNumber}: ${cost(one.cost)}`}</title>
                </rect>
              ),
            )
          }
        </Axes>
      )}
    </Chart>
  );
}
