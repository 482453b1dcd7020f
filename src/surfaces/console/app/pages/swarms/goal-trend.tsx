import { wilson } from '../../../../../evaluation/statistics/wilson.ts';
import type { Output } from '../../api/index.ts';
import { Axes } from '../../charts/axes.tsx';
import chart from '../../charts/chart.module.css';
import { Chart } from '../../charts/chart.tsx';
import { bandPath, linePath, round } from '../../charts/trend.tsx';
import { counted, percent } from '../../kit/numbers.ts';

type Day = Output<'getSwarmOverview'>['goalCompletion']['trend'][number];

const shown = (rate: number): string => percent(round(rate));
const dayOf = ({ dayStartMs }: Day): string => new Date(dayStartMs).toISOString().slice(0, 10);

/** Share of graded sessions that reached their goal, by day, with a confidence band. */
export function GoalTrend({ days }: { days: readonly Day[] }) {
  const measured = days.flatMap((day) => {
    const interval = wilson(day.passedCount, day.gradedCount);
    return interval ? [{ ...day, rate: day.passedCount / day.gradedCount, ...interval }] : [];
  });
  return (
    <Chart
      title="Goals reached"
      note="Sessions that reached their goal, by day (UTC), with the 95% confidence band."
      columns={[
        { name: 'Day (UTC)', value: dayOf },
        { name: 'Reached', value: ({ passedCount }) => passedCount },
        { name: 'Graded', value: ({ gradedCount }) => gradedCount },
        { name: 'Rate', value: ({ rate }) => rate, shown: ({ rate }) => shown(rate) },
        { name: 'Lower bound', value: ({ lower }) => lower, shown: ({ lower }) => shown(lower) },
        { name: 'Upper bound', value: ({ upper }) => upper, shown: ({ upper }) => shown(upper) },
      ]}
      rows={measured}
      keyOf={({ dayStartMs }) => String(dayStartMs)}
    >
      {(width) => (
        <Axes
          width={width}
          label={`Goals reached on ${counted(measured.length, 'day')}; on the last ${shown(measured.at(-1)?.rate ?? 0)}`}
          names={measured.map((day) => dayOf(day).slice(5))}
          most={1}
          show={percent}
        >
          {({ x, y }) => (
            <>
              {measured.length > 1 && <path d={bandPath(measured, x, y)} className={chart.band} />}
              <path d={linePath(measured, x, y)} className={chart.line} />
              {measured.map((day, at) => (
                <g key={day.dayStartMs}>
                  <title>{`${dayOf(day)}: ${shown(day.rate)}, between ${shown(day.lower)} and ${shown(day.upper)}`}</title>
                  {measured.length === 1 && (
                    <rect
                      x={x(at) - 6}
                      width={12}
                      y={y(day.upper)}
                      height={y(day.lower) - y(day.upper)}
                      className={chart.band}
                    />
                  )}
                  <circle cx={x(at)} cy={y(day.rate)} r={3} className={chart.dot} />
                </g>
              ))}
            </>
          )}
        </Axes>
      )}
    </Chart>
  );
}
