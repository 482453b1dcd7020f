import { type Check, from, satisfied, violated } from '../../../check.ts';

export const check: Check = {
  id: 'openai.domain.challenge-served',
  title: 'The token that proves the domain is served',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Domain verification' },
  remediation:
    'Serve the token of the submission page as text at /.well-known/openai-apps-challenge, and declare domainChallenge to have it compared.',
  evaluate: ({ domainChallenge, declared: { domainChallenge: wanted } }) =>
    from(domainChallenge, ({ status, token }) => {
      if (status !== 200 || token === '') return violated({ problem: 'No token is served', status });
      return wanted === undefined || wanted === token
        ? satisfied({ compared: wanted !== undefined })
        : violated({ problem: 'Another token is served' });
    }),
};
