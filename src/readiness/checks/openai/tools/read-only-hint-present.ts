import type { Check } from '../../../check.ts';
import { noTool } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.tools.read-only-hint-present',
  title: 'Every tool says whether it only reads',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: tools', section: 'Annotations' },
  remediation: 'Set `readOnlyHint` to true or false on every tool; leaving it out blocks the submission.',
  evaluate: (evidence) =>
    noTool(evidence, ({ hints }) => hints.readOnly === undefined, 'The tool has no readOnlyHint'),
};
