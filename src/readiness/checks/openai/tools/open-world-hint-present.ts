import type { Check } from '../../../check.ts';
import { noTool } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.tools.open-world-hint-present',
  title: 'Every tool says whether it reaches out of its own domain',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: tools', section: 'Annotations' },
  remediation: 'Set `openWorldHint` to true or false on every tool; leaving it out blocks the submission.',
  evaluate: (evidence) =>
    noTool(evidence, ({ hints }) => hints.openWorld === undefined, 'The tool has no openWorldHint'),
};
