import type { Check } from '../../../check.ts';
import { declaredText } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'claude.submission.listing-tagline',
  title: 'The tagline fits the listing',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: submission', section: 'Listing' },
  remediation: 'Write one of at most 55 characters, and declare tagline.',
  evaluate: (evidence) => declaredText(evidence, 'tagline', 55),
};
