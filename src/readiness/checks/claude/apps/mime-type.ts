import type { Check } from '../../../check.ts';
import { interfacesAreMcpApps } from '../../shared/interfaces.ts';

export const check: Check = {
  id: 'claude.apps.mime-type',
  title: 'Interfaces have the type of MCP Apps',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'MCP Apps' },
  remediation: 'Serve them as `text/html;profile=mcp-app`.',
  evaluate: interfacesAreMcpApps,
};
