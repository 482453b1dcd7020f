import type { Check } from '../../../check.ts';
import { declaredText } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'claude.submission.listing-description',
  title: 'The description fits the listing',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: submission', section: 'Listing' },
  remediation: 'Write one of at most 2,000 characters, and declare description.',
  evaluate: (evidence) => declaredText(evidence, 'description', 2_000),
};
