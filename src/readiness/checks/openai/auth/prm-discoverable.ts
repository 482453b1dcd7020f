import type { Check } from '../../../check.ts';
import { publishesResourceMetadata } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'openai.auth.prm-discoverable',
  title: 'The protected resource metadata is published',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'Discovery' },
  remediation: 'Serve the metadata of RFC 9728 at its well-known address.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: publishesResourceMetadata,
};
