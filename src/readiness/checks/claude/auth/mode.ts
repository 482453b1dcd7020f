import type { Check } from '../../../check.ts';
import { knownMode } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'claude.auth.mode',
  title: 'Authorization is none, or OAuth',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Supported authorization' },
  remediation: 'Offer OAuth 2.1 instead of keys that people paste.',
  evaluate: knownMode,
};
