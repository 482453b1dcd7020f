import type { Check } from '../../../check.ts';
import { speaksModernRevision } from '../../shared/session.ts';

export const check: Check = {
  id: 'claude.features.modern-protocol',
  title: 'The revision of 2026-07-28 is spoken',
  lane: 'optional-features',
  class: 'experimental-feature',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Protocol' },
  remediation: 'Update the SDK of the server; older clients can go on as before.',
  evaluate: speaksModernRevision,
};
