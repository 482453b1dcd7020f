import type { Check } from '../../../check.ts';
import { noTool } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.migration.apps-sdk-metadata',
  title: 'Interfaces are named as MCP Apps does',
  lane: 'optional-features',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: user interface', section: 'Migration' },
  remediation:
    'Replace `openai/outputTemplate` by `_meta.ui.resourceUri`, and text/html+skybridge by text/html;profile=mcp-app.',
  evaluate: (evidence) =>
    noTool(evidence, ({ legacyUi }) => legacyUi, 'The tool names its interface the old way'),
};
