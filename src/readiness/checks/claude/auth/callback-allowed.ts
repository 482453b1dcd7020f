import { type Check, satisfied, violated } from '../../../check.ts';
import { declared } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'claude.auth.callback-allowed',
  title: 'Claude may be sent back to',
  lane: 'submission-artifacts',
  class: 'manual-review',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: authentication', section: 'Callback' },
  remediation:
    'Allow the callback addresses of claude.ai and claude.com at the authorization server, and declare callbackUrls.',
  evaluate: (evidence) =>
    declared(evidence, 'callbackUrls', (urls) => {
      const hosts = urls.map((url) => new URL(url).hostname);
      return hosts.includes('claude.ai')
        ? satisfied({ hosts })
        : violated({ problem: 'No callback of claude.ai is among them', hosts });
    }),
};
