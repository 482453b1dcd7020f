import type { Check } from '../../../check.ts';
import { resourceIsAddress } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'openai.auth.prm-resource-matches-entered-url',
  title: 'The metadata is about the submitted address',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'Resource parameter' },
  remediation: 'Make `resource` equal to the submitted address, and take it back as the audience of tokens.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: resourceIsAddress,
};
