import type { Check } from '../../../check.ts';
import { redirectsStaySecure } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'claude.endpoint.redirects-stay-https',
  title: 'Redirects stay on https',
  lane: 'runtime-compatibility',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Connectors: review criteria', section: 'Transport' },
  remediation: 'Redirect to https addresses only, or submit the address the redirect leads to.',
  evaluate: redirectsStaySecure,
};
