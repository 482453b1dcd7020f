import { type Check, from, notApplicable, satisfied, violated } from '../../../check.ts';

export const check: Check = {
  id: 'claude.features.modern-protocol',
  title: 'The revision of 2026-07-28 is spoken',
  lane: 'optional-features',
  class: 'experimental-feature',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Protocol' },
  remediation: 'Update the SDK of the server; older clients can go on as before.',
  evaluate: ({ session }) =>
    from(session, (facts) => {
      if (!facts.open) return notApplicable('No session came about');
      const { protocolVersion } = facts;
      return protocolVersion >= '2026-07-28'
        ? satisfied({ protocolVersion })
        : violated({ problem: 'Only older revisions are spoken', protocolVersion });
    }),
};
