import { type Check, notApplicable } from '../../../check.ts';
import { confirmed } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'claude.submission.test-account',
  title: 'Reviewers have an account with data in it',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Connectors: submission', section: 'Test account' },
  remediation: 'Make one, and declare testAccount. A server without authorization needs none.',
  evaluate: (evidence) =>
    evidence.challenge.known && evidence.challenge.value.answered
      ? notApplicable('The server answers without authorization')
      : confirmed(evidence, 'testAccount'),
};
