import type { Client } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { barOf, liveLines } from '../screen/live-lines.ts';
import type { Screen } from '../screen/screen.ts';
import { padTo, widthOf } from '../screen/text.ts';
import { labelOf, type Target } from './outcome.ts';

type SessionEvent = Extract<
  ReturnType<Client['watchJourneyRun']> extends AsyncIterable<infer Event> ? Event : never,
  { type: 'session.state' }
>;

/** Characters of the progress bar. */
const width = 20;
const ended = (status: string): boolean => status !== 'pending' && status !== 'running';

/** Follows a run to its end: one live line per target on a terminal, one line per ended session elsewhere. */
export async function followJourneyRun(
  api: Client,
  run: { projectId: string; journeyRunId: string },
  screen: Screen | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { targets, summary } = await api.getJourneyRun(run, { signal });
  const live = screen?.isTTY ? liveLines(screen) : undefined;
  const sessions = new Map<string, SessionEvent>();
  try {
    for await (const event of api.watchJourneyRun(run, { signal })) {
      if (event.type !== 'session.state') continue;
      const key = `${event.attempt.sessionIndex} ${event.attempt.targetId}`;
      const before = sessions.get(key);
      sessions.set(key, event);
      const all = [...sessions.values()];
      // The stream starts with the state of every session.
      if (live && all.length === summary.total) live.draw(linesOf(targets, all));
      if (!live && ended(event.attempt.status) && !(before && ended(before.attempt.status)))
        screen?.write(`${endOf(targets, event, all, summary.total)}\n`);
    }
  } finally {
    live?.end();
  }
}

function linesOf(targets: readonly Target[], sessions: readonly SessionEvent[]): string[] {
  const labels = targets.map((target) => labelOf(target, 30));
  const longest = Math.max(...labels.map(widthOf));
  return targets.map(({ targetId }, at) => {
    const own = sessions.filter(({ attempt }) => attempt.targetId === targetId);
    const count = (...wanted: string[]): number =>
      own.filter(({ attempt }) => wanted.includes(attempt.status)).length;
    const done = own.filter(({ attempt }) => ended(attempt.status)).length;
    const turns = own.reduce((sum, { attempt }) => sum + attempt.turns, 0);
    const grading = own.filter(
      ({ attempt, verdict }) =>
        ended(attempt.status) && ['queued', 'running'].includes(verdict?.grading.state ?? ''),
    ).length;
    const words = [
      `${done}/${own.length} done`,
      `${count('running')} running`,
      `${count('failed')} failed`,
      ...(count('rate_limited') > 0 ? [`${count('rate_limited')} limited`] : []),
      turnsText(turns),
      ...(grading > 0 ? [`${grading} to grade`] : []),
    ];
    return `${padTo(labels[at] ?? '', longest)}  ${barOf(done, own.length, width)} ${words.join(', ')}`;
  });
}

function endOf(
  targets: readonly Target[],
  { attempt }: SessionEvent,
  sessions: readonly SessionEvent[],
  total: number,
): string {
  const done = sessions.filter((one) => ended(one.attempt.status)).length;
  const target = targets.find(({ targetId }) => targetId === attempt.targetId);
  const where = `${target ? labelOf(target, 60) : ''}, session ${attempt.sessionIndex + 1}`;
  const why = attempt.errorMessage === null ? '' : `: ${oneLine(attempt.errorMessage, 200)}`;
  return `${done}/${total} ${attempt.status.replace('_', ' ')}: ${where}, ${turnsText(attempt.turns)}${why}`;
}

function turnsText(count: number): string {
  return `${count} ${count === 1 ? 'turn' : 'turns'}`;
}
