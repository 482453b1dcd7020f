import type { Check } from '../../../check.ts';
import { noCredentialsInAddress } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'openai.auth.no-credentials-in-url',
  title: 'The address holds no credentials',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'static',
  intrusiveness: 'passive',
  source: { page: 'Plugins: authentication', section: 'Overview' },
  remediation: 'Take tokens from the Authorization header, and submit the address without them.',
  evaluate: noCredentialsInAddress,
};
