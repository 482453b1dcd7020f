import type { Check } from '../../../check.ts';
import { answersCalls } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.intrusive.tools-answer',
  title: 'Tools answer when they are called',
  lane: 'optional-features',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'side-effecting',
  source: { page: 'Connectors: review criteria', section: 'Functionality' },
  remediation: 'Reviewers call every tool: make it answer with what it found, or with an error that helps.',
  requiresCapabilities: ['side-effects', 'mcp-session'],
  evaluate: answersCalls,
};
