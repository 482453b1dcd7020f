import type { Check } from '../../../check.ts';
import { metadataClientsArePublic } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'claude.auth.metadata-clients-public',
  title: 'Clients known by a document need no secret',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Clients' },
  remediation: 'List `none` in `token_endpoint_auth_methods_supported`.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: metadataClientsArePublic,
};
