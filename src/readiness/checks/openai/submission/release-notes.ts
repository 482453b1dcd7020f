import type { Check } from '../../../check.ts';
import { declaredText } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.release-notes',
  title: 'There are release notes',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Release' },
  remediation: 'Declare releaseNotes.',
  evaluate: (evidence) => declaredText(evidence, 'releaseNotes', 20_000),
};
