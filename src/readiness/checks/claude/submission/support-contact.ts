import type { Check } from '../../../check.ts';
import { declaredText } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'claude.submission.support-contact',
  title: 'There is somebody to ask',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: submission', section: 'Support' },
  remediation: 'Declare supportContact.',
  evaluate: (evidence) => declaredText(evidence, 'supportContact', 500),
};
