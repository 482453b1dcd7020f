export { analyseHandler } from '../studies/analysis/analyse.ts';
export { studyInsightsHandler } from '../studies/analysis/insights.ts';
