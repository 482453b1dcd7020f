import type { Check } from '../../../check.ts';
import { usesAuthorizationCode } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'openai.auth.authorization-code',
  title: 'People authorize the access',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'Overview' },
  remediation: 'Offer the authorization_code grant.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: usesAuthorizationCode,
};
