import type { Check } from '../../../check.ts';
import { endpointsAreSecure } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'openai.auth.endpoints-https',
  title: 'The authorization server is reached over https',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'Overview' },
  remediation: 'Serve every endpoint of the authorization server over https.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: endpointsAreSecure,
};
