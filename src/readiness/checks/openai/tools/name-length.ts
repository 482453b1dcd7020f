import type { Check } from '../../../check.ts';
import { namesAreShort } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.tools.name-length',
  title: 'Names of tools have at most 64 characters',
  lane: 'runtime-compatibility',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: tools', section: 'Definition' },
  remediation: 'Shorten the name.',
  evaluate: namesAreShort,
};
