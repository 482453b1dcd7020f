import { type Check, from, informational } from '../../../check.ts';

export const check: Check = {
  id: 'openai.feature.interfaces',
  title: 'What the server shows',
  lane: 'optional-features',
  class: 'experimental-feature',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: user interface', section: 'Overview' },
  remediation: 'Nothing has to be done.',
  evaluate: ({ ui }) =>
    from(ui, (all) => informational({ interfaces: all.map(({ uri }) => uri).slice(0, 20) })),
};
