import { type Check, notEvaluated } from '../../../check.ts';

export const check: Check = {
  id: 'openai.policy.content',
  title: 'People of the directory look at what it does',
  lane: 'directory-policy',
  class: 'manual-review',
  provenance: 'manual',
  intrusiveness: 'passive',
  source: { page: 'Plugins: app guidelines', section: 'Content' },
  remediation: 'Read the guidelines on content, commerce and fair play.',
  evaluate: () => notEvaluated('Only a reviewer can tell', 'review'),
};
