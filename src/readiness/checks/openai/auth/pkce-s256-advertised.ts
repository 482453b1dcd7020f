import type { Check } from '../../../check.ts';
import { offersS256 } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'openai.auth.pkce-s256-advertised',
  title: 'PKCE with S256 is advertised',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'PKCE' },
  remediation: 'List S256 in `code_challenge_methods_supported`.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: offersS256,
};
