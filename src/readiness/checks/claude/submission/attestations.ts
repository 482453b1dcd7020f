import type { Check } from '../../../check.ts';
import { confirmed } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'claude.submission.attestations',
  title: 'What is asked for is attested',
  lane: 'submission-artifacts',
  class: 'manual-review',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: submission', section: 'Attestations' },
  remediation: 'Go through the statements of the form, and declare attestations.',
  evaluate: (evidence) => confirmed(evidence, 'attestations'),
};
