import type { Check } from '../../../check.ts';
import { takesAnyOperation } from '../../shared/operation-parameters.ts';
import { noTool } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.tools.free-string-operation-parameter',
  title: 'What a tool does is not any text',
  lane: 'directory-policy',
  class: 'heuristic',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tool design' },
  remediation: 'Make a tool of each operation, or limit the parameter with `enum`.',
  evaluate: (evidence) => noTool(evidence, takesAnyOperation, 'A parameter takes any operation'),
};
