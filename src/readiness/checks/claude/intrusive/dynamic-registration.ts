import type { Check } from '../../../check.ts';
import { registersClients } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'claude.intrusive.dynamic-registration',
  title: 'A client can be registered',
  lane: 'optional-features',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'side-effecting',
  source: { page: 'Connectors: authentication', section: 'Clients' },
  remediation: 'Take registrations without a token at the registration_endpoint.',
  requiresCapabilities: ['side-effects', 'oauth-discovery'],
  evaluate: registersClients,
};
