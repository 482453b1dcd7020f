import { ifKnown, informational, listing, type Rule, satisfied, violated } from '../check.ts';
import { whenOpen } from './session.ts';

const criteria = 'Connectors: review criteria';

const experimental = {
  lane: 'optional-features',
  class: 'experimental-feature',
  provenance: 'wire',
  intrusiveness: 'read-only',
} as const;

export const featureRules: readonly Rule[] = [
  {
    ...experimental,
    title: 'The server supports the MCP revision 2026-07-28',
    remediation: 'Update the SDK of the server. Older clients continue to work.',
    claude: listing('features.modern-protocol', criteria, 'Protocol'),
    openai: listing('feature.modern-protocol', 'Plugins: tools', 'Protocol'),
    evaluate: (evidence) =>
      whenOpen(evidence, ({ protocolVersion }) =>
        protocolVersion >= '2026-07-28'
          ? satisfied({ protocolVersion })
          : violated('The server supports only older revisions', { protocolVersion }),
      ),
  },
  {
    ...experimental,
    title: 'Prompts and resources of the server',
    remediation: 'No action needed.',
    claude: listing('features.prompts-and-resources', criteria, 'Features'),
    evaluate: ({ prompts, resources }) =>
      ifKnown(prompts, (prompted) =>
        ifKnown(resources, (listed) => informational({ prompts: prompted, resources: listed })),
      ),
  },
  {
    ...experimental,
    title: 'The server sends instructions',
    lane: 'experience-insights',
    class: 'heuristic',
    remediation: 'Put guidance that applies to all tools into `instructions`.',
    claude: listing('experience.instructions', criteria, 'Functionality'),
    evaluate: (evidence) => whenOpen(evidence, ({ instructions }) => informational({ instructions })),
  },
];
