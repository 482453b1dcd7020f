import type { Check } from '../../../check.ts';
import { clientsAreAcquired } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'openai.auth.client-acquisition',
  title: 'ChatGPT can get a client id',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'Clients' },
  remediation:
    'Offer client id metadata documents or dynamic registration, or enter a client in the submission and declare predefinedClient.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: clientsAreAcquired,
};
