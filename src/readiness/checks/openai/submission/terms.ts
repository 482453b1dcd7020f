import type { Check } from '../../../check.ts';
import { declaredPage } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.terms',
  title: 'There are terms of use',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Listing' },
  remediation: 'Publish them over https and declare termsUrl.',
  evaluate: (evidence) => declaredPage(evidence, 'termsUrl'),
};
