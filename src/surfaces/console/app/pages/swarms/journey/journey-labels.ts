import type { Output } from '../../../api/index.ts';
import { counted, percent } from '../../../kit/numbers.ts';

export type Journey = Output<'getJourney'>;

export function gradedBy({ rubric, judge }: Pick<Journey, 'rubric' | 'judge'>): string {
  const graders = [
    ...(rubric ? [counted(rubric.criteria.length, 'criterion', 'criteria')] : []),
    ...(judge.enabled ? [`judge (threshold ${percent(judge.threshold)})`] : []),
  ];
  return graders.join(' and ') || 'nothing';
}
