import type { Check } from '../../../check.ts';
import { declaredText } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'claude.submission.listing-name',
  title: 'The name fits the listing',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: submission', section: 'Listing' },
  remediation: 'Choose one of at most 100 characters, and declare name.',
  evaluate: (evidence) => declaredText(evidence, 'name', 100),
};
