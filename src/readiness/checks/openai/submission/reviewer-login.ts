import { type Check, notApplicable } from '../../../check.ts';
import { confirmed } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.reviewer-login',
  title: 'Reviewers can sign in without a second factor',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Testing' },
  remediation:
    'Make an account with data in it, and declare testAccount. A server without authorization needs none.',
  evaluate: (evidence) =>
    evidence.challenge.known && evidence.challenge.value.answered
      ? notApplicable('The server answers without authorization')
      : confirmed(evidence, 'testAccount'),
};
