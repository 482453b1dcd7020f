import type { Check } from '../../../check.ts';
import { describesBriefly } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.tools.description-brief',
  title: 'Descriptions are short',
  lane: 'experience-insights',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tool descriptions' },
  remediation: 'Move details into the descriptions of the parameters.',
  evaluate: describesBriefly,
};
