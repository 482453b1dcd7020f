import type { Check } from '../../../check.ts';
import { redirectsStaySecure } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'openai.endpoint.redirects-stay-https',
  title: 'Redirects stay on https',
  lane: 'runtime-compatibility',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Endpoint' },
  remediation: 'Redirect to https addresses only, or submit the address the redirect leads to.',
  evaluate: redirectsStaySecure,
};
