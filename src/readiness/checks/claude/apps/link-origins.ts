import type { Check } from '../../../check.ts';
import { confirmed } from '../../shared/artifacts.ts';
import { whenShown } from '../../shared/interfaces.ts';

export const check: Check = {
  id: 'claude.apps.link-origins',
  title: 'The places an interface links to are listed',
  lane: 'submission-artifacts',
  class: 'manual-review',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: submission', section: 'MCP Apps' },
  remediation: 'List where links lead in the submission, and declare linkOriginsDeclared.',
  evaluate: (evidence) => whenShown(evidence, () => confirmed(evidence, 'linkOriginsDeclared')),
};
