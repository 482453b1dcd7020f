import type { Check } from '../../../check.ts';
import { namesAreUnique } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.tools.name-unique',
  title: 'No two tools have the same name',
  lane: 'runtime-compatibility',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: tools', section: 'Definition' },
  remediation: 'Rename one of them.',
  evaluate: namesAreUnique,
};
