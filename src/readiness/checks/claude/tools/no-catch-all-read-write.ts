import type { Check } from '../../../check.ts';
import { mixesReadsAndWrites } from '../../shared/operation-parameters.ts';
import { noTool } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.tools.no-catch-all-read-write',
  title: 'Reading and writing are separate tools',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tool design' },
  remediation: 'Split the tool: one that reads, one that writes.',
  evaluate: (evidence) =>
    noTool(evidence, mixesReadsAndWrites, 'A parameter chooses between reading and writing'),
};
