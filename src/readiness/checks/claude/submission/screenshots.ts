import type { Check } from '../../../check.ts';
import { declaredCount } from '../../shared/artifacts.ts';
import { whenShown } from '../../shared/interfaces.ts';

export const check: Check = {
  id: 'claude.submission.screenshots',
  title: 'There are pictures of the interface',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: submission', section: 'MCP Apps' },
  remediation: 'Make 3 to 5 PNG pictures at least 1,000 pixels wide, and declare screenshots.',
  evaluate: (evidence) => whenShown(evidence, () => declaredCount(evidence, 'screenshots', 3, 5)),
};
