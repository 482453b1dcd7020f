import { redact } from '../../../platform/log.ts';

/** What a check found, in one sentence, and what to do about it. */
export interface Finding {
  level: 'ok' | 'warning' | 'problem';
  message: string;
  remedy?: string;
}

export interface Check {
  name: string;
  /** Milliseconds it may take; 10 seconds if left out. */
  within?: number;
  run: () => Promise<Finding>;
}

export type Found = Finding & { check: string };

const usualTime = 10_000;

export const ok = (message: string): Finding => ({ level: 'ok', message });
export const warning = (message: string, remedy: string): Finding => ({ level: 'warning', message, remedy });
export const problem = (message: string, remedy: string): Finding => ({ level: 'problem', message, remedy });

/** All of them, at once: what one says or does not say is nothing to the others. */
export function runChecks(checks: readonly Check[]): Promise<Found[]> {
  return Promise.all(checks.map(async (check) => ({ check: check.name, ...(await outcomeOf(check)) })));
}

async function outcomeOf({ run, within = usualTime }: Check): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    const finding = problem(
      `No answer in ${within / 1000} s`,
      'Look whether what is checked hangs, or the machine has too much to do; then run this again',
    );
    timer = setTimeout(() => resolve(finding), within);
  });
  try {
    return await Promise.race([run(), late]);
  } catch (error) {
    return findingOf(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Tells that a check could not be made because of another one. */
export class NotChecked extends Error {}

function findingOf(error: unknown): Finding {
  const message = redact(error instanceof Error ? error.message : String(error));
  if (error instanceof NotChecked) return warning(`Not checked: ${message}`, 'Mend that first');
  const { code } = error as { code?: unknown };
  if (code === '42P01')
    return warning('Not checked: the database lacks tables', 'See what is said of the migrations');
  return problem(message, 'Mend what it says, then run this again');
}
