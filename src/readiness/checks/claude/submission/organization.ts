import type { Check } from '../../../check.ts';
import { confirmed } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'claude.submission.organization',
  title: 'A Team or Enterprise organization submits',
  lane: 'submission-artifacts',
  class: 'manual-review',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: submission', section: 'Who may submit' },
  remediation: 'Submit from such an organization, and declare publisherRole.',
  evaluate: (evidence) => confirmed(evidence, 'publisherRole'),
};
