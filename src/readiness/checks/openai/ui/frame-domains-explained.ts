import { type Check, notApplicable } from '../../../check.ts';
import { confirmed } from '../../shared/artifacts.ts';
import { whenShown } from '../../shared/interfaces.ts';

export const check: Check = {
  id: 'openai.ui.frame-domains-explained',
  title: 'Pages of others in an interface are explained',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: user interface', section: 'Frames' },
  remediation:
    'Do without `frameDomains`, or explain them in the submission and declare frameDomainsExplained.',
  evaluate: (evidence) =>
    whenShown(evidence, (all) =>
      all.every(({ csp }) => (csp?.frame ?? []).length === 0)
        ? notApplicable('No interface shows pages of others')
        : confirmed(evidence, 'frameDomainsExplained'),
    ),
};
