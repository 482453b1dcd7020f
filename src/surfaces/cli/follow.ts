import { setTimeout as delay } from 'node:timers/promises';
import { followUnlessInterrupted } from './interrupt.ts';
import { progress } from './screen/screen.ts';

const pollMs = 500;

/** Polls a run until it is over, and shows the status lines that `linesOf` returns, each once. */
export async function pollRun<Run>(
  cancel: string,
  read: (signal: AbortSignal) => Promise<Run>,
  isOver: (run: Run) => boolean,
  linesOf: (run: Run) => string[],
): Promise<Run> {
  let latest: Run | undefined;
  const { say, end } = progress();
  const shown = new Set<string>();
  try {
    await followUnlessInterrupted(cancel, async (signal) => {
      for (;;) {
        latest = await read(signal);
        for (const line of linesOf(latest).filter((one) => !shown.has(one))) {
          say(line);
          shown.add(line);
        }
        if (isOver(latest)) return;
        await delay(pollMs, undefined, { signal });
      }
    });
  } finally {
    end();
  }
  return latest as Run;
}
