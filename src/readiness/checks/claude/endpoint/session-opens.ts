import type { Check } from '../../../check.ts';
import { opensSession } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'claude.endpoint.session-opens',
  title: 'A session comes about',
  lane: 'runtime-compatibility',
  class: 'runtime-blocker',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Functionality' },
  remediation: 'Run the doctor on the server; it says where the handshake fails.',
  evaluate: opensSession,
};
