import { type Check, from, informational } from '../../../check.ts';

export const check: Check = {
  id: 'claude.features.prompts-and-resources',
  title: 'What the server offers besides tools',
  lane: 'optional-features',
  class: 'experimental-feature',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Features' },
  remediation: 'Nothing has to be done.',
  evaluate: ({ prompts, resources }) =>
    from(prompts, (prompted) =>
      from(resources, (listed) => informational({ prompts: prompted, resources: listed })),
    ),
};
