import type { Verb } from '../context/verb.ts';

export const getEvalIngestCapabilities: Verb<'getEvalIngestCapabilities'> = async () => ({
  ok: true,
  capabilities: {
    report: 1,
    chunkedRuns: 1,
    artifacts: 1,
    artifactReports: 1,
    caseRunEvaluations: 1,
    scores: 1,
  },
});
