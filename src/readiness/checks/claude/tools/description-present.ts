import type { Check } from '../../../check.ts';
import { describesTools } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.tools.description-present',
  title: 'Every tool is described',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tool descriptions' },
  remediation: 'Say in a few words what the tool does and when to use it.',
  evaluate: describesTools,
};
