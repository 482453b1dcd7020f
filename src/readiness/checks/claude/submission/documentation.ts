import type { Check } from '../../../check.ts';
import { declaredPage } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'claude.submission.documentation',
  title: 'There is documentation with examples',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: submission', section: 'Documentation' },
  remediation: 'Publish it over https and declare documentationUrl.',
  evaluate: (evidence) => declaredPage(evidence, 'documentationUrl'),
};
