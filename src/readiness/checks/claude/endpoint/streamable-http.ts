import type { Check } from '../../../check.ts';
import { streamsOverHttp } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'claude.endpoint.streamable-http',
  title: 'Streamable HTTP is spoken',
  lane: 'runtime-compatibility',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Transport' },
  remediation: 'Offer Streamable HTTP at the submitted address; HTTP+SSE is being given up.',
  evaluate: streamsOverHttp,
};
