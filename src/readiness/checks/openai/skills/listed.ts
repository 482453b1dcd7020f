import { type Check, satisfied, violated } from '../../../check.ts';
import { ofSkills } from '../../shared/skills.ts';

export const check: Check = {
  id: 'openai.skills.listed',
  title: 'The server offers skills to import',
  lane: 'plugin-package',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: submission', section: 'Imported skills' },
  remediation: 'Offer the skills extension with at least one skill, or submit as mcp-only.',
  evaluate: (evidence) =>
    ofSkills(evidence, ({ names, rejected }) =>
      names.length + rejected.length > 0
        ? satisfied({ skills: names.slice(0, 20) })
        : violated({ problem: 'The server lists no skills' }),
    ),
};
