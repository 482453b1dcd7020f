import type { Check } from '../../../check.ts';
import { hintsAgree } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.tools.hints-consistent',
  title: 'No tool both only reads and destroys',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: tools', section: 'Annotations' },
  remediation: 'Keep the one that is true.',
  evaluate: hintsAgree,
};
