import type { Check } from '../../../check.ts';
import { noTool } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.tools.destructive-hint-present',
  title: 'Every tool says whether it destroys anything',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: tools', section: 'Annotations' },
  remediation: 'Set `destructiveHint` to true or false on every tool; leaving it out blocks the submission.',
  evaluate: (evidence) =>
    noTool(evidence, ({ hints }) => hints.destructive === undefined, 'The tool has no destructiveHint'),
};
