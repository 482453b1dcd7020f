import { type Check, noneOf } from '../../../check.ts';
import { ofSkills } from '../../shared/skills.ts';

export const check: Check = {
  id: 'openai.skills.valid',
  title: 'Every skill is well formed',
  lane: 'plugin-package',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: submission', section: 'Imported skills' },
  remediation: 'Give each skill a name like its folder, a description, and digests of its files.',
  evaluate: (evidence) =>
    ofSkills(evidence, ({ rejected }) => noneOf(rejected, 'The skill cannot be imported')),
};
