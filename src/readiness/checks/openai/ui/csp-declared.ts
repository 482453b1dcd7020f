import type { Check } from '../../../check.ts';
import { declaresCsp, originsAreDeclared } from '../../shared/interfaces.ts';

export const check: Check = {
  id: 'openai.ui.csp-declared',
  title: 'Interfaces declare the origins they reach',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: user interface', section: 'Content security policy' },
  remediation: 'Declare `_meta.ui.csp`, with empty lists where nothing is reached.',
  evaluate: (evidence) => {
    const there = declaresCsp(evidence);
    return there.status === 'satisfied' ? originsAreDeclared(evidence) : there;
  },
};
