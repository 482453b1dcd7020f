import type { Check } from '../../../check.ts';
import { resourceIsAddress } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'claude.auth.prm-resource-matches-entered-url',
  title: 'The metadata is about the submitted address',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Discovery' },
  remediation: 'Make `resource` equal to the address people enter.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: resourceIsAddress,
};
