import type { Check } from '../../../check.ts';
import { confirmed } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.publisher-role',
  title: 'Whoever submits may manage apps',
  lane: 'submission-artifacts',
  class: 'manual-review',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Before you submit' },
  remediation: 'Get the role with write access to Apps Management, and declare publisherRole.',
  evaluate: (evidence) => confirmed(evidence, 'publisherRole'),
};
