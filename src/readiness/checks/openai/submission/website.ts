import type { Check } from '../../../check.ts';
import { declaredPage } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.website',
  title: 'There is a website',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Listing' },
  remediation: 'Declare websiteUrl.',
  evaluate: (evidence) => declaredPage(evidence, 'websiteUrl'),
};
