import type { Suite } from '../eval-suites/suite.ts';
import { invalid } from '../invalid.ts';
import type { CaseDefinition } from './definition.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A suite that is judged by one rate over all trials has no use for a count and a threshold of one case. */
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
