import type { Check } from '../../../check.ts';
import { confirmed } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.verified-identity',
  title: 'The publisher is verified',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Before you submit' },
  remediation: 'Verify the identity in the settings of the organization, and declare verifiedIdentity.',
  evaluate: (evidence) => confirmed(evidence, 'verifiedIdentity'),
};
