import type { Check } from '../../../check.ts';
import { redirectsEnd } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'openai.endpoint.redirects-terminate',
  title: 'Redirects come to an end',
  lane: 'runtime-compatibility',
  class: 'runtime-blocker',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Endpoint' },
  remediation: 'Answer at the submitted address itself; at most five redirects are followed.',
  evaluate: redirectsEnd,
};
