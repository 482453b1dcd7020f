import type { Check } from '../../../check.ts';
import type { ToolFacts } from '../../../tool-facts.ts';
import { noTool } from '../../shared/tools.ts';

const passesOn = /^(?:endpoint|graphql|path|sql|url)$/i;

function isUnnamedGateway({ parameters, description }: ToolFacts): boolean {
  const open = parameters.some(({ name, choices }) => passesOn.test(name) && choices === undefined);
  return open && !/\bAPI\b|https?:\/\//.test(description);
}

export const check: Check = {
  id: 'claude.tools.free-form-names-api',
  title: 'Tools that pass requests on name the API',
  lane: 'directory-policy',
  class: 'heuristic',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'Tool design' },
  remediation: 'Name the API in the description, or link its documentation.',
  evaluate: (evidence) =>
    noTool(evidence, isUnnamedGateway, 'The tool passes requests on and does not say to which API'),
};
