import { type Check, from, notApplicable, satisfied, violated } from '../../../check.ts';

export const check: Check = {
  id: 'openai.release.contract-unchanged',
  title: 'The tools are those that were reviewed',
  lane: 'release-contract',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: maintenance', section: 'Changes after review' },
  remediation:
    'Have the tools scanned again in the submission page; then save the baseline of the server anew.',
  evaluate: ({ baseline }) =>
    from(baseline, (facts) => {
      if (facts === null) return notApplicable('No baseline of the server is saved');
      const { same, breaking, risky } = facts;
      return same
        ? satisfied()
        : violated({ problem: 'The tools differ from the baseline', breaking, risky });
    }),
};
