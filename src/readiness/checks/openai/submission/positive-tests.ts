import type { Check } from '../../../check.ts';
import { declaredCount } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.positive-tests',
  title: 'Five prompts show what it is for',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Testing' },
  remediation: 'Write five prompts with what they are to lead to, and declare positiveTestCases.',
  evaluate: (evidence) => declaredCount(evidence, 'positiveTestCases', 5),
};
