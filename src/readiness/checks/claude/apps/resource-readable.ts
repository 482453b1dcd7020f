import type { Check } from '../../../check.ts';
import { interfacesAreThere } from '../../shared/interfaces.ts';

export const check: Check = {
  id: 'claude.apps.resource-readable',
  title: 'Interfaces that tools name can be read',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'MCP Apps' },
  remediation: 'Answer resources/read for each `ui://` address that a tool names.',
  evaluate: interfacesAreThere,
};
