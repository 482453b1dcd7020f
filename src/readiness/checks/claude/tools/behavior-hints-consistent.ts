import type { Check } from '../../../check.ts';
import { hintsAgree } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.tools.behavior-hints-consistent',
  title: 'No tool both only reads and destroys',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tool annotations' },
  remediation: 'Keep the one that is true.',
  evaluate: hintsAgree,
};
