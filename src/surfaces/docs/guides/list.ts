export interface GuideEntry {
  /** Its file is docs/NAME.md, its address /docs/guides/NAME. */
  name: string;
  /** What the navigation calls it. */
  title: string;
}

/** The guides in the order a newcomer meets them. A page of docs/ that stands here is served and run by the tests. */
export const guideGroups: { title: string; guides: GuideEntry[] }[] = [
  {
    title: 'Start',
    guides: [
      { name: 'quick-start', title: 'Quick start' },
      { name: 'ci', title: 'In CI' },
      { name: 'verdicts', title: 'Reading a verdict' },
    ],
  },
  {
    title: 'Test servers',
    guides: [
      { name: 'writing-checks', title: 'Writing good checks' },
      { name: 'widgets', title: 'Widgets' },
      { name: 'suite-files', title: 'Suite files' },
      { name: 'evals', title: 'Running evals' },
      { name: 'judging', title: 'Judges and insights' },
      { name: 'swarms', title: 'Swarms' },
      { name: 'studies', title: 'Studies' },
      { name: 'contract-checks', title: 'Checks without a model' },
      { name: 'conformance-runs', title: 'Conformance runs' },
      { name: 'readiness', title: 'Directory readiness' },
      { name: 'reporting', title: 'Results from elsewhere' },
    ],
  },
  {
    title: 'Servers and models',
    guides: [
      { name: 'servers', title: 'How servers are reached' },
      { name: 'tunnels', title: 'Tunnels' },
      { name: 'webhooks', title: 'Webhooks and regular checks' },
      { name: 'registry', title: 'The registry' },
      { name: 'oauth', title: 'OAuth servers' },
      { name: 'environments', title: 'Clients and environments' },
      { name: 'models', title: 'Models' },
      { name: 'chat-sessions', title: 'Chat sessions' },
    ],
  },
  {
    title: 'Wherever you work',
    guides: [
      { name: 'command-line', title: 'Command line' },
      { name: 'agents', title: 'Agents' },
      { name: 'agent-turn', title: 'The agent in the service' },
      { name: 'client', title: 'From TypeScript' },
    ],
  },
  {
    title: 'Operate',
    guides: [
      { name: 'operating', title: 'On one machine' },
      { name: 'console', title: 'The console' },
      { name: 'self-hosting', title: 'PostgreSQL and replicas' },
      { name: 'growth', title: 'One node, and more' },
      { name: 'deploying', title: 'Deploying' },
      { name: 'browsers', title: 'Browsers' },
      { name: 'security', title: 'Security model' },
      { name: 'backup', title: 'Backup and upgrade' },
      { name: 'configuration', title: 'Settings' },
      { name: 'decisions', title: 'Where the API is silent' },
    ],
  },
];

export const guideList: GuideEntry[] = guideGroups.flatMap(({ guides }) => guides);
