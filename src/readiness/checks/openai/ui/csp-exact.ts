import type { Check } from '../../../check.ts';
import { cspIsExact } from '../../shared/interfaces.ts';

export const check: Check = {
  id: 'openai.ui.csp-exact',
  title: 'The declared origins are exact',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: user interface', section: 'Content security policy' },
  remediation: 'Name each origin; a bare `*` is not taken.',
  evaluate: cspIsExact,
};
