import type { Check } from '../../../check.ts';
import { declaredText } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.support',
  title: 'There is somebody to ask',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Listing' },
  remediation: 'Declare supportContact.',
  evaluate: (evidence) => declaredText(evidence, 'supportContact', 500),
};
