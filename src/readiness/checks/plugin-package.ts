import {
  ifKnown,
  listing,
  noneOf,
  notApplicable,
  type Outcome,
  type Rule,
  satisfied,
  violated,
} from '../check.ts';
import type { Evidence } from '../evidence.ts';
import { confirmed } from './declared.ts';

const submission = 'Plugins: submission';

const required = { lane: 'plugin-package', class: 'required' } as const;
const served = { ...required, provenance: 'wire', intrusiveness: 'read-only' } as const;

export const pluginPackageRules: readonly Rule[] = [
  {
    ...served,
    title: 'The server offers skills to import',
    remediation: 'Offer the skills extension with at least one skill, or submit as mcp-only.',
    openai: listing('skills.listed', submission, 'Imported skills'),
    evaluate: (evidence) =>
      whenImported(evidence, () =>
        ifKnown(evidence.skills, ({ names, rejected }) =>
          names.length + rejected.length > 0
            ? satisfied({ skills: names.slice(0, 20) })
            : violated('The server lists no skills'),
        ),
      ),
  },
  {
    ...served,
    title: 'Every skill is valid',
    remediation: 'Give each skill the name of its folder, a description, and digests of its files.',
    openai: listing('skills.valid', submission, 'Imported skills'),
    evaluate: (evidence) =>
      whenImported(evidence, () =>
        ifKnown(evidence.skills, ({ rejected }) => noneOf(rejected, 'The skill cannot be imported')),
      ),
  },
  {
    ...required,
    title: 'The package has a manifest',
    provenance: 'declared',
    intrusiveness: 'passive',
    remediation: 'Write the manifest of the plugin, and declare pluginManifest.',
    openai: listing('package.manifest', submission, 'Package'),
    evaluate: (evidence) => whenImported(evidence, () => confirmed(evidence, 'pluginManifest')),
  },
  {
    title: 'The tools are those that were reviewed',
    lane: 'release-contract',
    class: 'required',
    provenance: 'wire',
    intrusiveness: 'read-only',
    remediation: 'Scan the tools again on the submission page. Then save a new baseline of the server.',
    openai: listing('release.contract-unchanged', 'Plugins: maintenance', 'Changes after review'),
    evaluate: ({ baseline }) =>
      ifKnown(baseline, (difference) => {
        if (difference === null) return notApplicable('No baseline of the server is saved');
        const { same, breaking, risky } = difference;
        return same ? satisfied() : violated('The tools differ from the baseline', { breaking, risky });
      }),
  },
];

/** Rules about the package do not apply to a server that is submitted without skills. */
function whenImported({ importsSkills }: Evidence, judge: () => Outcome): Outcome {
  return importsSkills ? judge() : notApplicable('The server is submitted without skills');
}
