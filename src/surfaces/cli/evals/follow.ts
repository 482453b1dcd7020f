import type { Client } from '../../client/index.ts';
import { oneLine } from '../../harmless-text.ts';

/** Where progress is drawn. */
interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const width = 28;

/** Follows a run to its end: a bar on a terminal, a line for each trial elsewhere. */
export async function followRun(
  api: Client,
  run: { projectId: string; runId: string },
  screen: Screen | undefined,
): Promise<void> {
  const draw = screen?.isTTY ? bar(screen) : lines(screen);
  for await (const event of api.watchEvalRun(run)) {
    if (event.type === 'run.started') draw({ trials: event.trials });
    else if (event.type === 'trial.started') draw({ title: event.title });
    else if (event.type === 'trial.finished')
      draw({
        trials: event.trials,
        finished: event.finished,
        title: event.title,
        number: event.iterationNumber,
        result: event.result ?? event.status,
        ms: event.durationMs,
      });
    else if (event.type === 'run.grading') draw({ title: 'judging' });
    else if (event.type === 'run.decided') draw({ over: true });
  }
}

interface Moment {
  trials?: number;
  finished?: number;
  title?: string;
  number?: number;
  result?: string;
  ms?: number | null;
  over?: true;
}

function bar(screen: Screen): (moment: Moment) => void {
  let [trials, finished, passed, title] = [0, 0, 0, ''];
  return (moment) => {
    trials = moment.trials ?? trials;
    finished = Math.max(finished, moment.finished ?? 0);
    title = oneLine(moment.title ?? title, 200);
    if (moment.result === 'passed') passed++;
    const share = trials === 0 ? 0 : finished / trials;
    const full = Math.round(share * width);
    const counts = `${finished}/${trials}  ${passed} passed, ${finished - passed} not`;
    const line = `[${'='.repeat(full)}${' '.repeat(width - full)}] ${counts}  ${moment.over ? '' : title}`;
    screen.write(`\r\u001B[K${line.slice(0, (screen.columns ?? 80) - 1)}`);
    if (moment.over) screen.write('\n\n');
  };
}

function lines(screen: Screen | undefined): (moment: Moment) => void {
  return ({ finished, trials, title, number, result, ms }) => {
    if (result === undefined) return;
    const took = ms === null || ms === undefined ? '' : ` (${ms} ms)`;
    screen?.write(`${finished}/${trials} ${result}: ${oneLine(title ?? '', 200)}, trial ${number}${took}\n`);
  };
}
