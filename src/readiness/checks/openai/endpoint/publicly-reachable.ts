import type { Check } from '../../../check.ts';
import { publiclyReachable } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'openai.endpoint.publicly-reachable',
  title: 'The address is public and stable',
  lane: 'runtime-compatibility',
  class: 'required',
  provenance: 'static',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Endpoint' },
  remediation: 'Submit the public host name of the server; tunnels and test addresses are not taken.',
  evaluate: publiclyReachable,
};
