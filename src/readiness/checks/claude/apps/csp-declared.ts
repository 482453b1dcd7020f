import type { Check } from '../../../check.ts';
import { originsAreDeclared } from '../../shared/interfaces.ts';

export const check: Check = {
  id: 'claude.apps.csp-declared',
  title: 'Interfaces declare the origins they reach',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'MCP Apps' },
  remediation: 'List the origins in `_meta.ui.csp` of the resource.',
  evaluate: originsAreDeclared,
};
