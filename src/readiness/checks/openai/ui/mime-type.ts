import { type Check, noneOf } from '../../../check.ts';
import { whenShown } from '../../shared/interfaces.ts';

/** The one of the Apps SDK is still taken. */
const taken = /^text\/html(?:; *profile=mcp-app|\+skybridge)$/i;

export const check: Check = {
  id: 'openai.ui.mime-type',
  title: 'Interfaces have the type of MCP Apps',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: user interface', section: 'Resources' },
  remediation: 'Serve them as `text/html;profile=mcp-app`.',
  evaluate: (evidence) =>
    whenShown(evidence, (all) =>
      noneOf(
        all
          .filter(({ problem, mimeType }) => problem === undefined && !taken.test(mimeType))
          .map(({ uri }) => uri),
        'Its type is not text/html;profile=mcp-app',
      ),
    ),
};
