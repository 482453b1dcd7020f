import type { Check } from '../../../check.ts';
import { declaredPage } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.privacy-policy',
  title: 'There is a privacy policy',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: app guidelines', section: 'Privacy' },
  remediation: 'Publish one over https and declare privacyPolicyUrl.',
  evaluate: (evidence) => declaredPage(evidence, 'privacyPolicyUrl'),
};
