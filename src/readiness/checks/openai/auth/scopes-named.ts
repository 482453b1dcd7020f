import type { Check } from '../../../check.ts';
import { namesScopes } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'openai.auth.scopes-named',
  title: 'The scopes are named',
  lane: 'optional-features',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'Scopes' },
  remediation: 'List the scopes in `scopes_supported` of the protected resource metadata, and enforce them.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: namesScopes,
};
