import type { Suite } from '../eval-suites/suite.ts';
import { invalid } from '../invalid.ts';

/** A suite that is judged by one rate over all trials has no use for a count and a threshold of one case. */
export function refuseOnRate(
  { settings }: Suite,
  { repetitions, passThreshold }: { repetitions?: number | undefined; passThreshold?: number | undefined },
): void {
  if (settings.policy === 2) return;
  if (repetitions === undefined && passThreshold === undefined) return;
  throw invalid(
    `${passThreshold === undefined ? 'repetitions' : 'passThreshold'}: This suite is judged by one rate over all trials. Send settings.repetitions and settings.passThreshold to the suite first`,
  );
}
