import type { Client } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { barOf, liveLines } from '../screen/live-lines.ts';
import type { Screen } from '../screen/screen.ts';

/** Characters of the progress bar. */
const width = 28;

/** Follows a run to its end, with a progress bar on a terminal and one line per trial elsewhere. */
export async function followRun(
  api: Client,
  run: { projectId: string; runId: string },
  screen: Screen | undefined,
  signal: AbortSignal,
): Promise<void> {
  const draw = screen?.isTTY ? bar(screen) : lines(screen);
  try {
    for await (const event of api.watchEvalRun(run, { signal })) {
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
      else if (event.type === 'run.grading') draw({ title: 'running judges' });
    }
  } finally {
    draw({ over: true });
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
  const live = liveLines(screen);
  return (moment) => {
    trials = moment.trials ?? trials;
    finished = Math.max(finished, moment.finished ?? 0);
    title = oneLine(moment.title ?? title, 200);
    if (moment.result === 'passed') passed++;
    const counts = `${finished}/${trials}  ${passed} passed, ${finished - passed} not passed`;
    live.draw([`${barOf(finished, trials, width)} ${counts}  ${moment.over ? '' : title}`]);
    if (moment.over) live.end();
  };
}

function lines(screen: Screen | undefined): (moment: Moment) => void {
  return ({ finished, trials, title, number, result, ms }) => {
    if (result === undefined) return;
    const took = ms === null || ms === undefined ? '' : ` (${ms} ms)`;
    screen?.write(`${finished}/${trials} ${result}: ${oneLine(title ?? '', 200)}, trial ${number}${took}\n`);
  };
}
