import type { Check } from '../../../check.ts';
import { namesResourceMetadata } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'claude.auth.challenge-names-resource-metadata',
  title: 'The challenge names the protected resource metadata',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Discovery' },
  remediation: 'Put `resource_metadata="…"` with the address of the metadata into WWW-Authenticate.',
  evaluate: namesResourceMetadata,
};
