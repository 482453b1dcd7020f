import type { Check } from '../../../check.ts';
import { declaredText } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.subtitle',
  title: 'The subtitle fits the listing',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Listing' },
  remediation: 'Write one of at most 30 characters, and declare tagline.',
  evaluate: (evidence) => declaredText(evidence, 'tagline', 30),
};
