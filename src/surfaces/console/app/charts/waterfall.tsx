import { classes } from '../kit/classes.ts';
import { ModelIcon, ToolIcon } from '../kit/icons.tsx';
import { count } from '../kit/numbers.ts';
import { duration } from '../kit/time.tsx';
import css from './waterfall.module.css';

interface Bar {
  id: string;
  name: string;
  category: string;
  start: number;
  end: number;
  failed: boolean;
  depth: number;
  tokens: number | undefined;
}

/** Maximum number of bars. */
const max = 400;

const kinds = new Map([
  ['llm', 'model'],
  ['tool', 'tool'],
  ['error', 'error'],
  ['step', 'step'],
]);

/** Timeline of steps, model calls and tool calls. Bars have a minimum width, so that all can be selected. */
export function Waterfall({
  label = 'Timeline of the trial',
  bars,
  chosen,
  onChoose,
}: {
  label?: string;
  bars: Bar[];
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}) {
  // Reported spans may start before zero.
  const first = bars.reduce((least, { start }) => Math.min(least, start), 0);
  const whole = bars.reduce((last, { end }) => Math.max(last, end - first), 1);
  const ticks = ticksOf(whole);
  return (
    <div className={css.waterfall} role="group" aria-label={label}>
      <div className={css.scale} aria-hidden="true">
        <span className={css.name} />
        <span className={css.track}>
          {ticks.map((tick) => (
            <span key={tick} className={css.tick} style={{ left: `${(tick / whole) * 100}%` }}>
              {duration(tick)}
            </span>
          ))}
        </span>
        <span className={css.took} />
      </div>
      {/* Reported IDs may repeat, so the index is the key. */}
      {bars.slice(0, max).map((bar, at) => (
        <button
          key={at}
          type="button"
          className={css.line}
          aria-label={labelOf(bar, first)}
          aria-pressed={bar.id === chosen}
          onClick={() => onChoose(bar.id === chosen ? undefined : bar.id)}
        >
          <span className={css.name} style={{ paddingLeft: `${bar.depth * 14}px` }}>
            {bar.category === 'llm' && <ModelIcon />}
            {bar.category === 'tool' && <ToolIcon />}
            <bdi className={css.word} title={bar.name}>
              {bar.name}
            </bdi>
          </span>
          <span className={css.track} aria-hidden="true">
            <span
              className={classes(
                css.bar,
                kinds.has(bar.category) && css[bar.category],
                bar.failed && css.failed,
              )}
              style={{
                left: `${((bar.start - first) / whole) * 100}%`,
                width: `${((bar.end - bar.start) / whole) * 100}%`,
              }}
            />
          </span>
          <span className={css.took}>
            {duration(bar.end - bar.start)}
            {bar.tokens !== undefined && <span className={css.tokens}>{count(bar.tokens)} tokens</span>}
          </span>
        </button>
      ))}
      {bars.length > max && <p className={css.more}>{count(bars.length - max)} more are not shown.</p>}
    </div>
  );
}

function labelOf({ name, category, failed, start, end }: Bar, first: number): string {
  const facts = [kinds.get(category) ?? category, ...(failed ? ['failed'] : [])];
  return [name, ...facts, `from ${duration(start - first)}`, `took ${duration(end - start)}`].join(', ');
}

/** A few round times for the axis. */
function ticksOf(whole: number): number[] {
  const rough = whole / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough;
  return Array.from({ length: Math.floor(whole / step) + 1 }, (_, at) => at * step).filter(
    (tick) => tick <= whole * 0.97,
  );
}
