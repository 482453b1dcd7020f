import type { Check } from '../../../check.ts';
import { offersFewTools } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.experience.tool-count',
  title: 'There are few enough tools to choose from',
  lane: 'experience-insights',
  class: 'heuristic',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tool design' },
  remediation: 'Put rarely used operations together, or offer them in a server of their own.',
  evaluate: offersFewTools,
};
