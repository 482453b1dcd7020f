import { Link } from '@tanstack/react-router';
import { Axes } from '../../charts/axes.tsx';
import chart from '../../charts/chart.module.css';
import { Chart, type ChartColumn } from '../../charts/chart.tsx';
import { counted } from '../../kit/numbers.ts';
import { shownTime, Time } from '../../kit/time.tsx';
import { type ConformanceRun, sourceText } from './labels.ts';

type Scored = ConformanceRun & { score: number };

/** The score over time, oldest run first; hidden if fewer than two runs have a score. */
export function ScoreChart({ runs }: { runs: readonly ConformanceRun[] }) {
  const scored = runs.filter((run): run is Scored => run.score !== null).toReversed();
  if (scored.length < 2) return null;
  return (
    <Chart
      title="Score over time"
      note="Passed checks as a share of passed and failed checks. Runs of different suites are not comparable."
      columns={columns}
      rows={scored}
      keyOf={({ id }) => id}
    >
      {(width) => (
        <Axes
          width={width}
          label={`Score of ${counted(scored.length, 'run')}; the last has ${scored.at(-1)?.score} of 100, the first ${scored[0]?.score}`}
          names={scored.map(({ createdAt }) => shownTime(new Date(createdAt)))}
          most={100}
          show={String}
        >
          {({ x, y }) => (
            <>
              <path
                d={scored.map(({ score }, at) => `${at === 0 ? 'M' : 'L'}${x(at)} ${y(score)}`).join('')}
                className={chart.line}
              />
              {scored.map(({ id, score, hosted }, at) => (
                <circle key={id} cx={x(at)} cy={y(score)} r={3} className={hosted ? chart.dot : chart.hollow}>
                  <title>{`${score} of 100`}</title>
                </circle>
              ))}
            </>
          )}
        </Axes>
      )}
    </Chart>
  );
}

const columns: ChartColumn<Scored>[] = [
  {
    name: 'Started',
    value: ({ createdAt }) => new Date(createdAt).toISOString(),
    shown: ({ projectId, id, createdAt }) => (
      <Link to="/projects/$projectId/conformance/$runId" params={{ projectId, runId: id }}>
        <Time at={createdAt} />
      </Link>
    ),
  },
  { name: 'Score', value: ({ score }) => score },
  { name: 'Passed', value: ({ passed }) => passed },
  { name: 'Failed', value: ({ failed }) => failed },
  { name: 'Source', value: sourceText },
];
