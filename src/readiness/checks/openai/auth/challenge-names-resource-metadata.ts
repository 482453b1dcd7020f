import type { Check } from '../../../check.ts';
import { namesResourceMetadata } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'openai.auth.challenge-names-resource-metadata',
  title: 'The challenge names the protected resource metadata',
  lane: 'directory-policy',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'Challenges' },
  remediation: 'Put `resource_metadata="…"` with the address of the metadata into WWW-Authenticate.',
  evaluate: namesResourceMetadata,
};
