import type { Check } from '../../../check.ts';
import { offersS256 } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'claude.auth.pkce-s256-advertised',
  title: 'PKCE with S256 is advertised',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Requirements of the flow' },
  remediation: 'List S256 in `code_challenge_methods_supported`.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: offersS256,
};
