import type { Check } from '../../../check.ts';
import { knownMode } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'openai.auth.mode',
  title: 'Authorization is none, or OAuth',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'Overview' },
  remediation: 'Offer OAuth 2.1 instead of keys that people paste.',
  evaluate: knownMode,
};
