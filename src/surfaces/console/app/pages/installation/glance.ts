import type { ConsoleOutput } from '../../../../client/console.ts';
import { counted } from '../../kit/numbers.ts';
import type { State } from '../../kit/state.tsx';

export type Installation = ConsoleOutput<'getInstallation'>;

/** Work that could have begun longer ago than this has nobody who does it, or too few. */
const longWait = 60_000;

/** What somebody who runs it should know first, the worst first. */
export function glanceOf(
  { queues, failures, models, database }: Pick<Installation, 'queues' | 'failures' | 'models' | 'database'>,
  now: number,
): { state: State; words: string }[] {
  const late = queues.filter(({ oldestDueAt }) => oldestDueAt !== null && now - oldestDueAt > longWait);
  const paused = models.filter(({ state }) => state === 'paused').length;
  const ready = models.filter(({ state }) => state === 'ready').length;
  const found: { state: State; words: string }[] = [];
  if (database.connections.waiting > 0)
    found.push({ state: 'failed', words: 'Requests wait for a connection to the database' });
  for (const { kind } of late)
    found.push({ state: 'failed', words: `${kind} waits for longer than a minute` });
  if (failures.length > 0)
    found.push({
      state: 'attention',
      words: `${counted(failures.length, 'job was', 'jobs were')} given up lately`,
    });
  if (paused > 0)
    found.push({
      state: 'attention',
      words: `${counted(paused, 'model is', 'models are')} paused by the provider`,
    });
  if (found.length === 0) found.push({ state: 'passed', words: 'Nothing waits for a person' });
  found.push({
    state: ready > 0 ? 'passed' : 'attention',
    words: `${counted(ready, 'model is', 'models are')} ready`,
  });
  return found;
}
