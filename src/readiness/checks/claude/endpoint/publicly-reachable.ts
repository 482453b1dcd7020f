import type { Check } from '../../../check.ts';
import { publiclyReachable } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'claude.endpoint.publicly-reachable',
  title: 'The address is public',
  lane: 'runtime-compatibility',
  class: 'required',
  provenance: 'static',
  intrusiveness: 'passive',
  source: { page: 'Connectors: review criteria', section: 'Transport' },
  remediation: 'Submit the public host name of the server; Claude connects from its own network.',
  evaluate: publiclyReachable,
};
