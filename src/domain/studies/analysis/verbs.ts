import type { Verb } from '../../verb.ts';

const later = (): never => {
  throw new Error('not there yet');
};
export const getStudyMetrics: Verb<'getStudyMetrics'> = later;
export const getStudyUsage: Verb<'getStudyUsage'> = later;
export const getStudySignals: Verb<'getStudySignals'> = later;
export const listStudyFindings: Verb<'listStudyFindings'> = later;
export const dismissStudyFinding: Verb<'dismissStudyFinding'> = later;
export const undismissStudyFinding: Verb<'undismissStudyFinding'> = later;
export const getStudyWindowInsights: Verb<'getStudyWindowInsights'> = later;
export const requestStudyInsights: Verb<'requestStudyInsights'> = later;
export const cancelStudyInsights: Verb<'cancelStudyInsights'> = later;
