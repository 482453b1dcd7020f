import type { Check } from '../../../check.ts';
import { describesOnly } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.tools.description-no-instructions',
  title: 'Descriptions give the model no orders',
  lane: 'directory-policy',
  class: 'heuristic',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Software Directory Policy', section: 'Prompt injection' },
  remediation: 'Say what the tool does, not what the model is to do.',
  evaluate: describesOnly,
};
