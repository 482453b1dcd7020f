import type { Check } from '../../../check.ts';
import { noTool } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.tools.behavior-hints-present',
  title: 'Every tool says whether it changes anything',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tool annotations' },
  remediation: 'Add `readOnlyHint: true` to tools that only read, and `destructiveHint` to the others.',
  evaluate: (evidence) =>
    noTool(
      evidence,
      ({ hints }) => hints.readOnly === undefined && hints.destructive === undefined,
      'The tool has neither readOnlyHint nor destructiveHint',
    ),
};
