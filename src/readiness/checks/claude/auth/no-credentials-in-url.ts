import type { Check } from '../../../check.ts';
import { noCredentialsInAddress } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'claude.auth.no-credentials-in-url',
  title: 'The address holds no credentials',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'static',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Supported authorization' },
  remediation: 'Take tokens from the Authorization header, and submit the address without them.',
  evaluate: noCredentialsInAddress,
};
