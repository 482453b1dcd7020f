import { type Check, from, informational, notApplicable } from '../../../check.ts';

export const check: Check = {
  id: 'claude.experience.instructions',
  title: 'The server says how it is meant',
  lane: 'experience-insights',
  class: 'heuristic',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Functionality' },
  remediation: 'Put what goes for all tools into `instructions`.',
  evaluate: ({ session }) =>
    from(session, (facts) =>
      facts.open
        ? informational({ instructions: facts.instructions })
        : notApplicable('No session came about'),
    ),
};
