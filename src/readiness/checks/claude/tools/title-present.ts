import type { Check } from '../../../check.ts';
import { noTool } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.tools.title-present',
  title: 'Every tool has a title',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tool annotations' },
  remediation: 'Add `title`, or `annotations.title`.',
  evaluate: (evidence) => noTool(evidence, ({ title }) => title === '', 'The tool has no title'),
};
