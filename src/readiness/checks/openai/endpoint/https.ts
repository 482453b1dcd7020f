import type { Check } from '../../../check.ts';
import { overHttps } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'openai.endpoint.https',
  title: 'The server is served over https',
  lane: 'runtime-compatibility',
  class: 'runtime-blocker',
  provenance: 'static',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Endpoint' },
  remediation: 'Serve it over https with a certificate of a public authority.',
  evaluate: overHttps,
};
