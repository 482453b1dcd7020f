import type { Output } from '../../../../../client/index.ts';
import { counted, percent } from '../../../kit/numbers.ts';

export type Journey = Output<'getJourney'>;

/** What decides whether a session of it passes. */
export function gradedBy({ rubric, judge }: Pick<Journey, 'rubric' | 'judge'>): string {
  const graders = [
    ...(rubric ? [counted(rubric.criteria.length, 'criterion', 'criteria')] : []),
    ...(judge.enabled ? [`a judge, from ${percent(judge.threshold)} on`] : []),
  ];
  return graders.join(' and ') || 'nothing';
}
