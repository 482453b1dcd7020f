export interface GuideEntry {
  /** Name of the file docs/NAME.md and of the page /docs/guides/NAME. */
  name: string;
  /** Title in the navigation. */
  title: string;
}

/** Guides in reading order. Listed pages of docs/ are served, and tests run their commands. */
export const guideGroups: { title: string; guides: GuideEntry[] }[] = [
  {
    title: 'Start',
    guides: [
      { name: 'quick-start', title: 'Quick start' },
      { name: 'ci', title: 'Run Drydock in CI' },
      { name: 'verdicts', title: 'Read a verdict' },
    ],
  },
  {
    title: 'Test servers',
    guides: [
      { name: 'writing-checks', title: 'Write good checks' },
      { name: 'widgets', title: 'Widgets' },
      { name: 'suite-files', title: 'Suite files' },
      { name: 'evals', title: 'Run evals' },
      { name: 'judging', title: 'Judges and insights' },
      { name: 'swarms', title: 'Swarms' },
      { name: 'studies', title: 'Studies' },
      { name: 'contract-checks', title: 'Check servers without a model' },
      { name: 'conformance-runs', title: 'Conformance runs' },
      { name: 'readiness', title: 'Directory readiness' },
      { name: 'reporting', title: 'Report results from other tools' },
    ],
  },
  {
    title: 'Servers and models',
    guides: [
      { name: 'servers', title: 'Connections to servers' },
      { name: 'tunnels', title: 'Tunnels' },
      { name: 'webhooks', title: 'Webhooks and scheduled checks' },
      { name: 'registry', title: 'Registry' },
      { name: 'oauth', title: 'OAuth servers' },
      { name: 'environments', title: 'Clients and environments' },
      { name: 'models', title: 'Models' },
      { name: 'chat-sessions', title: 'Chat sessions' },
    ],
  },
  {
    title: 'Clients and agents',
    guides: [
      { name: 'command-line', title: 'Use the command line' },
      { name: 'agents', title: 'Agents' },
      { name: 'agent-turn', title: 'Use the built-in agent' },
      { name: 'client', title: 'Use the TypeScript client' },
    ],
  },
  {
    title: 'Operate',
    guides: [
      { name: 'operating', title: 'Operate on one machine' },
      { name: 'console', title: 'Use the console' },
      { name: 'self-hosting', title: 'Use PostgreSQL and replicas' },
      { name: 'growth', title: 'Plan for growth' },
      { name: 'deploying', title: 'Deploy Drydock' },
      { name: 'browsers', title: 'Use browsers' },
      { name: 'security', title: 'Security model' },
      { name: 'backup', title: 'Backup and upgrade' },
      { name: 'configuration', title: 'Settings' },
      { name: 'decisions', title: 'API design decisions' },
    ],
  },
];

export const guideList: GuideEntry[] = guideGroups.flatMap(({ guides }) => guides);
