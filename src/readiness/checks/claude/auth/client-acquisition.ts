import type { Check } from '../../../check.ts';
import { clientsAreAcquired } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'claude.auth.client-acquisition',
  title: 'Claude can get a client id',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Clients' },
  remediation:
    'Offer dynamic registration or client id metadata documents, or give Anthropic a client and declare predefinedClient.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: clientsAreAcquired,
};
