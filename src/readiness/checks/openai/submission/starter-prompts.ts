import type { Check } from '../../../check.ts';
import { declaredCount } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.starter-prompts',
  title: 'There are prompts to begin with',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Listing' },
  remediation: 'Write some, and declare starterPrompts.',
  evaluate: (evidence) => declaredCount(evidence, 'starterPrompts', 1),
};
