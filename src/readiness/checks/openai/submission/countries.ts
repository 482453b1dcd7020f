import { type Check, satisfied, violated } from '../../../check.ts';
import { declared } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.countries',
  title: 'The countries are chosen',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Availability' },
  remediation: 'Declare countries with two letters each.',
  evaluate: (evidence) =>
    declared(evidence, 'countries', (countries) =>
      countries.length > 0
        ? satisfied({ countries: countries.length })
        : violated({ problem: 'No country is chosen' }),
    ),
};
