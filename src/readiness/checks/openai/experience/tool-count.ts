import type { Check } from '../../../check.ts';
import { offersFewTools } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.experience.tool-count',
  title: 'There are few enough tools to choose from',
  lane: 'experience-insights',
  class: 'heuristic',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: tools', section: 'Design' },
  remediation: 'Put rarely used operations together, or offer them in a server of their own.',
  evaluate: offersFewTools,
};
