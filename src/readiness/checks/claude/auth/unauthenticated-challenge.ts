import type { Check } from '../../../check.ts';
import { challenges } from '../../shared/authorization.ts';

export const check: Check = {
  id: 'claude.auth.unauthenticated-challenge',
  title: 'A request without a token is answered with 401 and a challenge',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Discovery' },
  remediation: 'Answer with status 401 and `WWW-Authenticate: Bearer`.',
  evaluate: challenges,
};
