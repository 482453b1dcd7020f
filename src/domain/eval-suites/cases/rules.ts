import { invalid } from '../../base/refusals.ts';
import type { Suite } from '../suite.ts';
import type { CaseDefinition } from './definition.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Policy 1 judges all trials by one rate, so trial counts and thresholds per case are refused. */
export function refuseOnRate(
  { settings }: Suite,
  { repetitions, passThreshold }: Pick<CaseDefinition, 'repetitions' | 'passThreshold'>,
  vocabulary: Vocabulary,
): void {
  if (settings.policy === 2) return;
  if (repetitions === undefined && passThreshold === undefined) return;
  const count = vocabulary === '2' ? 'iterations' : 'repetitions';
  throw invalid(
    `${passThreshold === undefined ? count : 'passThreshold'}: This suite is judged by one rate over all trials. Send settings.${count} and settings.passThreshold to the suite first`,
  );
}
