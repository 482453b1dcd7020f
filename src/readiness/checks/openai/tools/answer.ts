import type { Check } from '../../../check.ts';
import { answersCalls } from '../../shared/tools.ts';

export const check: Check = {
  id: 'openai.tools.answer',
  title: 'Tools answer when they are called',
  lane: 'optional-features',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'side-effecting',
  source: { page: 'Plugins: submission', section: 'Testing' },
  remediation: 'Reviewers call the tools: make each answer with what it found, or with an error that helps.',
  requiresCapabilities: ['side-effects', 'mcp-session'],
  evaluate: answersCalls,
};
