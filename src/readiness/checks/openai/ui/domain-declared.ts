import type { Check } from '../../../check.ts';
import { hasDomain } from '../../shared/interfaces.ts';

export const check: Check = {
  id: 'openai.ui.domain-declared',
  title: 'Interfaces name their domain',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: user interface', section: 'Domain' },
  remediation: 'Set `_meta.ui.domain` to an https origin of yours.',
  evaluate: hasDomain,
};
