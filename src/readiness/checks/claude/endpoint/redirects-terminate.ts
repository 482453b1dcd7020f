import type { Check } from '../../../check.ts';
import { redirectsEnd } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'claude.endpoint.redirects-terminate',
  title: 'Redirects come to an end',
  lane: 'runtime-compatibility',
  class: 'runtime-blocker',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: review criteria', section: 'Transport' },
  remediation: 'Answer at the submitted address itself; at most five redirects are followed.',
  evaluate: redirectsEnd,
};
