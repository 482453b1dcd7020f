import type { Check } from '../../../check.ts';
import { publishesIssuer } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'openai.auth.as-metadata-discoverable',
  title: 'The authorization server publishes its metadata',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'Discovery' },
  remediation: 'Serve the metadata of RFC 8414 or of OpenID Connect below the issuer.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: publishesIssuer,
};
