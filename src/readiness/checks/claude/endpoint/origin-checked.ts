import type { Check } from '../../../check.ts';
import { refusesForeignOrigins } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'claude.endpoint.origin-checked',
  title: 'Requests of other sites are refused',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Security' },
  remediation: 'Compare the Origin header with the origins you expect, and answer others with 403.',
  evaluate: refusesForeignOrigins,
};
