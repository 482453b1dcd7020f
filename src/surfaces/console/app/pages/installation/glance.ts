import type { ConsoleOutput } from '../../api/index.ts';
import { counted } from '../../kit/numbers.ts';
import type { State } from '../../kit/state.tsx';

export type Installation = ConsoleOutput<'getInstallation'>;

/** Milliseconds. A job that waits longer indicates that too few workers, or none, handle the queue. */
const maxHealthyWait = 60_000;

export function glanceOf(
  { queues, failures, models, database }: Pick<Installation, 'queues' | 'failures' | 'models' | 'database'>,
  now: number,
): { state: State; words: string }[] {
  const late = queues.filter(({ oldestDueAt }) => oldestDueAt !== null && now - oldestDueAt > maxHealthyWait);
  const paused = models.filter(({ state }) => state === 'paused').length;
  const ready = models.filter(({ state }) => state === 'ready').length;
  const found: { state: State; words: string }[] = [];
  if (database.connections.waiting > 0)
    found.push({ state: 'failed', words: 'Requests are waiting for a database connection' });
  for (const { kind } of late)
    found.push({ state: 'failed', words: `${kind} waiting for more than a minute` });
  if (failures.length > 0)
    found.push({
      state: 'attention',
      words: `${counted(failures.length, 'job')} failed permanently`,
    });
  if (paused > 0)
    found.push({
      state: 'attention',
      words: `${counted(paused, 'model is', 'models are')} paused by the provider`,
    });
  if (found.length === 0) found.push({ state: 'passed', words: 'All clear' });
  found.push({
    state: ready > 0 ? 'passed' : 'attention',
    words: `${counted(ready, 'model is', 'models are')} ready`,
  });
  return found;
}
