import type { Check } from '../../../check.ts';
import { overHttps } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'claude.endpoint.https',
  title: 'The server is served over https',
  lane: 'runtime-compatibility',
  class: 'runtime-blocker',
  provenance: 'static',
  intrusiveness: 'passive',
  source: { page: 'Connectors: review criteria', section: 'Transport' },
  remediation: 'Serve it over https with a certificate of a public authority.',
  evaluate: overHttps,
};
