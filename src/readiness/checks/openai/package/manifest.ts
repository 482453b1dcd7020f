import type { Check } from '../../../check.ts';
import { confirmed } from '../../shared/artifacts.ts';
import { whenImported } from '../../shared/skills.ts';

export const check: Check = {
  id: 'openai.package.manifest',
  title: 'The package has its manifest',
  lane: 'plugin-package',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
  source: { page: 'Plugins: submission', section: 'Package' },
  remediation: 'Write the manifest of the plugin, and declare pluginManifest.',
  evaluate: (evidence) => whenImported(evidence, () => confirmed(evidence, 'pluginManifest')),
};
