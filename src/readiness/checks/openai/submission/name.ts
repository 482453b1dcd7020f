import type { Check } from '../../../check.ts';
import { declaredText } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.name',
  title: 'The name fits the listing',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Listing' },
  remediation: 'Choose one of at most 30 characters, and declare name.',
  evaluate: (evidence) => declaredText(evidence, 'name', 30),
};
