import type { Check } from '../../../check.ts';
import { declaredCount } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.negative-tests',
  title: 'Three prompts show what it is not for',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Testing' },
  remediation: 'Write three prompts that are not to use it, and declare negativeTestCases.',
  evaluate: (evidence) => declaredCount(evidence, 'negativeTestCases', 3),
};
