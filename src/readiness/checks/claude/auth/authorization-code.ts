import type { Check } from '../../../check.ts';
import { usesAuthorizationCode } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'claude.auth.authorization-code',
  title: 'People authorize the access',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Requirements of the flow' },
  remediation: 'Offer the authorization_code grant; client_credentials alone is not taken.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: usesAuthorizationCode,
};
