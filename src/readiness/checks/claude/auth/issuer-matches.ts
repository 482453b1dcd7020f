import type { Check } from '../../../check.ts';
import { issuerNamesItself } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'claude.auth.issuer-matches',
  title: 'The authorization server calls itself by its address',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Discovery' },
  remediation: 'Make `issuer` equal to the address in `authorization_servers`, letter by letter.',
  requiresCapabilities: ['oauth-discovery'],
  evaluate: issuerNamesItself,
};
