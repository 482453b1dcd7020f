import type { Check } from '../../../check.ts';
import { describesBriefly } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.experience.description-brief',
  title: 'Descriptions are short',
  lane: 'experience-insights',
  class: 'heuristic',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: tools', section: 'Descriptions' },
  remediation: 'Move details into the descriptions of the parameters.',
  evaluate: describesBriefly,
};
