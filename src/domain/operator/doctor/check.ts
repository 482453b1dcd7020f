import { withTimeout } from '../../../platform/flow/deadline.ts';
import { redact } from '../../../platform/log.ts';

/** Result of a check in one sentence, with its remedy. */
export interface DoctorFinding {
  level: 'ok' | 'warning' | 'problem';
  message: string;
  remedy?: string;
}

export interface Check {
  name: string;
  /** Time limit in milliseconds; default 10 seconds. */
  within?: number;
  run: () => Promise<DoctorFinding>;
}

export type Found = DoctorFinding & { check: string };

/** Time limit of a check in milliseconds. */
const defaultTime = 10_000;

export const ok = (message: string): DoctorFinding => ({ level: 'ok', message });
export const warning = (message: string, remedy: string): DoctorFinding => ({
  level: 'warning',
  message,
  remedy,
});
export const problem = (message: string, remedy: string): DoctorFinding => ({
  level: 'problem',
  message,
  remedy,
});

/** Runs all checks concurrently and independently. */
export function runChecks(checks: readonly Check[]): Promise<Found[]> {
  return Promise.all(checks.map(async (check) => ({ check: check.name, ...(await outcomeOf(check)) })));
}

async function outcomeOf({ run, within = defaultTime }: Check): Promise<DoctorFinding> {
  try {
    return await withTimeout(within, run(), () =>
      problem(
        `No answer in ${within / 1000} s`,
        'Check whether it hangs or the machine is overloaded, then run this again',
      ),
    );
  } catch (error) {
    return findingOf(error);
  }
}

/** Thrown if a check depends on one that failed. */
export class NotChecked extends Error {}

function findingOf(error: unknown): DoctorFinding {
  const message = redact(error instanceof Error ? error.message : String(error));
  if (error instanceof NotChecked) return warning(`Not checked: ${message}`, 'Fix that first');
  const { code } = error as { code?: unknown };
  if (code === '42P01')
    return warning('Not checked: the database lacks tables', 'See the check of the migrations');
  return problem(message, 'Fix the reported problem, then run this again');
}
