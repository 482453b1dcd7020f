import type { Check } from '../../../check.ts';
import { declaredPage } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'claude.submission.privacy-policy',
  title: 'There is a privacy policy',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Software Directory Policy', section: 'Privacy' },
  remediation: 'Publish one over https and declare privacyPolicyUrl; submissions without are refused.',
  evaluate: (evidence) => declaredPage(evidence, 'privacyPolicyUrl'),
};
