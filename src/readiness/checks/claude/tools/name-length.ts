import type { Check } from '../../../check.ts';
import { namesAreShort } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.tools.name-length',
  title: 'Names of tools have at most 64 characters',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tools' },
  remediation: 'Shorten the name.',
  evaluate: namesAreShort,
};
