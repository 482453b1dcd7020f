import type { Check } from '../../../check.ts';
import { streamsOverHttp } from '../../shared/endpoint.ts';

export const check: Check = {
  id: 'openai.endpoint.streamable-http',
  title: 'Streamable HTTP is spoken',
  lane: 'runtime-compatibility',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: submission', section: 'Endpoint' },
  remediation: 'Offer Streamable HTTP at the submitted address; HTTP+SSE is being given up.',
  evaluate: streamsOverHttp,
};
