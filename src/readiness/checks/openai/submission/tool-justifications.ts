import type { Check } from '../../../check.ts';
import { confirmed } from '../../shared/artifacts.ts';

export const check: Check = {
  id: 'openai.submission.tool-justifications',
  title: 'The hints of every tool are explained',
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Tools' },
  remediation: 'Say in the form why each hint is what it is, and declare toolJustifications.',
  evaluate: (evidence) => confirmed(evidence, 'toolJustifications'),
};
