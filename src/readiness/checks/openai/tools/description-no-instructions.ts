import type { Check } from '../../../check.ts';
import { describesOnly } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.tools.description-no-instructions',
  title: 'Descriptions give the model no orders',
  lane: 'directory-policy',
  class: 'heuristic',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: app guidelines', section: 'Fair play' },
  remediation: 'Say what the tool does, not what the model is to do, nor that it is better than others.',
  evaluate: describesOnly,
};
