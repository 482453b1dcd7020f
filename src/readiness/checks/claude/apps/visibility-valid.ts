import type { Check } from '../../../check.ts';
import { noTool } from '../../shared/tools.ts';

export const check: Check = {
  id: 'claude.apps.visibility-valid',
  title: 'Tools say rightly who may call them',
  lane: 'optional-features',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'MCP Apps' },
  remediation: 'Use `model` and `app` in `_meta.ui.visibility`; helpers of an interface have `["app"]`.',
  evaluate: (evidence) =>
    noTool(
      evidence,
      ({ visibility = ['model'] }) =>
        visibility.length === 0 || visibility.some((one) => one !== 'model' && one !== 'app'),
      'Its visibility is neither model nor app',
    ),
};
