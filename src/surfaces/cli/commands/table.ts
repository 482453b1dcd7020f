import type { Command } from 'commander';
import type { Host } from '../host.ts';

type Register = (program: Command, host: Host) => void;

export interface CommandEntry {
  summary: string;
  heading: Heading;
  load: () => Promise<Register>;
}

type Heading = (typeof headings)[number];

/** In the order of `drydock --help`. */
export const headings = [
  'Test',
  'Run',
  'Connect',
  'Operate an installation',
  'Operations of the API',
] as const;

const under =
  (heading: Heading) =>
  (summary: string, load: () => Promise<Register>): CommandEntry => ({ summary, heading, load });
const [test, run, connect, operate] = [
  under('Test'),
  under('Run'),
  under('Connect'),
  under('Operate an installation'),
];

const logins = async () => (await import('./login.ts')).loginCommands;
const identity = async () => (await import('./identity.ts')).identityCommands;
const organizations = async () => (await import('./organizations.ts')).organizationCommands;
const backups = async () => (await import('./backup.ts')).backupCommands;
const packages = async () => (await import('./packages.ts')).packageCommands;

/**
 * Hand-written commands. Each file is loaded only when its command is called: loading takes most of the time of a short
 * command.
 */
export const commandTable: Record<string, CommandEntry> = {
  evals: test('Run eval suites, sync them from files, gate CI', async () =>
    (await import('./evals.ts')).evalCommands),
  journeys: test('Run journeys: personas use your servers in many sessions', async () =>
    (await import('./journeys.ts')).journeyCommands),
  chat: test('Chat with a model that can call the tools of saved servers', async () =>
    (await import('./chat.ts')).chatCommand),
  check: test('Compare a server with its baseline', async () => (await import('./check.ts')).checkCommand),
  conformance: test('Check the protocol conformance of a server', async () =>
    (await import('./conformance.ts')).conformanceCommand),
  readiness: test('Check whether a server is ready for a public directory', async () =>
    (await import('./readiness.ts')).readinessCommand),
  serve: run('Start the service', async () => (await import('./serve.ts')).serveCommand),
  worker: run(
    'Run background jobs only, for services on the same database',
    async () => (await import('./serve.ts')).workerCommand,
  ),
  health: run('Check service health', async () => (await import('./health.ts')).healthCommand),
  mcp: run('Serve the operations to an agent over stdio', async () => (await import('./mcp.ts')).mcpCommand),
  tunnel: run(
    'Expose an MCP server on this machine to the service',
    async () => (await import('./tunnel.ts')).tunnelCommand,
  ),
  'demo-server': run(
    'Run a small MCP server for trying things out',
    async () => (await import('./demo-server.ts')).demoServerCommand,
  ),
  login: connect('Log in to a service', logins),
  logout: connect('Log out of a service', logins),
  profiles: connect('Manage logins', logins),
  whoami: connect('Show the current service and account', logins),
  completion: connect(
    'Print the shell completion script',
    async () => (await import('./completion.ts')).completionCommand,
  ),
  console: operate(
    'Create sign-in links for the console',
    async () => (await import('./console.ts')).consoleCommands,
  ),
  keys: operate('Manage API keys', identity),
  users: operate('Manage user accounts', identity),
  members: operate('Manage members of organizations and projects', identity),
  orgs: operate('Manage organizations', organizations),
  features: operate('Manage features per organization', organizations),
  plans: operate('Manage plans: limits and daily budgets', organizations),
  audit: operate('Show the audit log, newest first', organizations),
  retention: operate('Manage data retention', async () => (await import('./retention.ts')).retentionCommands),
  skills: operate('Manage skills', async () => (await import('./skills.ts')).skillCommands),
  plugins: operate(
    'Manage plugins: bundles of servers and skills',
    async () => (await import('./plugins.ts')).pluginCommands,
  ),
  secrets: operate(
    'Manage secrets and their encryption key',
    async () => (await import('./secrets.ts')).secretCommands,
  ),
  doctor: operate('Diagnose this installation', async () => (await import('./doctor.ts')).doctorCommand),
  backup: operate('Back up the database and all blobs to one file', backups),
  restore: operate('Restore a backup into an empty installation', backups),
  licenses: operate('List third-party packages and their licenses', packages),
  sbom: operate('Print the SBOM as CycloneDX 1.6 JSON', packages),
  upgrade: operate(
    'Preview the database upgrade of this version (read-only)',
    async () => (await import('./upgrade.ts')).upgradeCommand,
  ),
  config: operate(
    'Print every setting with its effective value',
    async () => (await import('./config.ts')).configCommand,
  ),
};
