import type { Check } from '../../../check.ts';
import { toolsAreWellFormed } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.tools.list-valid',
  title: 'Every tool is well formed',
  lane: 'runtime-compatibility',
  class: 'runtime-blocker',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tools' },
  remediation: 'Give each tool a name and an inputSchema of type object.',
  evaluate: toolsAreWellFormed,
};
