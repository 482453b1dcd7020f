import type { Check } from '../../../check.ts';
import { describesResults } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.tools.output-schema',
  title: 'Results are described',
  lane: 'optional-features',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: tools', section: 'Results' },
  remediation: 'Add an outputSchema, and answer with structuredContent.',
  evaluate: describesResults,
};
