import type { Command } from 'commander';
import type { Host } from '../host.ts';

type Register = (program: Command, host: Host) => void;

export interface CommandEntry {
  summary: string;
  heading: (typeof headings)[number];
  load: () => Promise<Register>;
}

/** In the order in which help shows them. */
export const headings = [
  'Test',
  'Run',
  'Connect',
  'Operate an installation',
  'Operations of the API',
] as const;

const evals = { heading: 'Test', load: async () => (await import('./evals.ts')).evalCommands } as const;
const identity = {
  heading: 'Operate an installation',
  load: async () => (await import('./identity.ts')).identityCommands,
} as const;
const organizations = {
  heading: 'Operate an installation',
  load: async () => (await import('./organizations.ts')).organizationCommands,
} as const;
const backups = {
  heading: 'Operate an installation',
  load: async () => (await import('./backup.ts')).backupCommands,
} as const;
const packages = {
  heading: 'Operate an installation',
  load: async () => (await import('./packages.ts')).packageCommands,
} as const;
const logins = { heading: 'Connect', load: async () => (await import('./login.ts')).loginCommands } as const;

/**
 * Commands that are written by hand. Their files are loaded when one of them is asked for: most of the time that a
 * short command takes is loading.
 */
export const commandTable: Record<string, CommandEntry> = {
  evals: { ...evals, summary: 'run eval suites, keep them in files, decide in CI' },
  journeys: {
    summary: 'have personas try your servers in many sessions',
    heading: 'Test',
    load: async () => (await import('./journeys.ts')).journeyCommands,
  },
  chat: {
    summary: 'talk with a model that has the tools of saved servers',
    heading: 'Test',
    load: async () => (await import('./chat.ts')).chatCommand,
  },
  check: {
    summary: 'compare a server with a baseline of it',
    heading: 'Test',
    load: async () => (await import('./check.ts')).checkCommand,
  },
  conformance: {
    summary: 'check how well a server follows the protocol',
    heading: 'Test',
    load: async () => (await import('./conformance.ts')).conformanceCommand,
  },
  readiness: {
    summary: 'check whether a server would be taken into a public directory',
    heading: 'Test',
    load: async () => (await import('./readiness.ts')).readinessCommand,
  },
  serve: {
    summary: 'start the service',
    heading: 'Run',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  worker: {
    summary: 'run background jobs only, next to services that share the database',
    heading: 'Run',
    load: async () => (await import('./serve.ts')).workerCommand,
  },
  health: {
    summary: 'ask the service or worker here whether it lives',
    heading: 'Run',
    load: async () => (await import('./health.ts')).healthCommand,
  },
  mcp: {
    summary: 'offer the operations to an agent, over the standard input and output',
    heading: 'Run',
    load: async () => (await import('./mcp.ts')).mcpCommand,
  },
  tunnel: {
    summary: 'let the service reach an MCP server on this machine',
    heading: 'Run',
    load: async () => (await import('./tunnel.ts')).tunnelCommand,
  },
  'demo-server': {
    summary: 'run a small MCP server to try things on',
    heading: 'Run',
    load: async () => (await import('./demo-server.ts')).demoServerCommand,
  },
  login: { ...logins, summary: 'keep the address and the key of a service' },
  logout: { ...logins, summary: 'forget them' },
  profiles: { ...logins, summary: 'services one has logged in to' },
  whoami: { ...logins, summary: 'which service commands talk to, and as whom' },
  completion: {
    summary: 'print the completion for a shell',
    heading: 'Connect',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
  console: {
    summary: 'links that sign people in to the console',
    heading: 'Operate an installation',
    load: async () => (await import('./console.ts')).consoleCommands,
  },
  keys: { ...identity, summary: 'API keys' },
  users: { ...identity, summary: 'accounts that own keys' },
  members: { ...identity, summary: 'who belongs to an organization or a project' },
  orgs: { ...organizations, summary: 'organizations' },
  features: { ...organizations, summary: 'features per organization' },
  plans: { ...organizations, summary: 'limits and daily budgets' },
  audit: { ...organizations, summary: 'who changed what, newest first' },
  retention: {
    summary: 'how long an organization keeps what',
    heading: 'Operate an installation',
    load: async () => (await import('./retention.ts')).retentionCommands,
  },
  skills: {
    summary: 'instructions that models can be given',
    heading: 'Operate an installation',
    load: async () => (await import('./skills.ts')).skillCommands,
  },
  plugins: {
    summary: 'bundles of servers and skills',
    heading: 'Operate an installation',
    load: async () => (await import('./plugins.ts')).pluginCommands,
  },
  secrets: {
    summary: 'values that runs receive; the key that seals them',
    heading: 'Operate an installation',
    load: async () => (await import('./secrets.ts')).secretCommands,
  },
  doctor: {
    summary: 'look whether this installation has all it needs',
    heading: 'Operate an installation',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  backup: { ...backups, summary: 'save the database and all blobs into one file' },
  restore: { ...backups, summary: 'fill an empty installation from a backup' },
  licenses: { ...packages, summary: 'third-party packages of this program and their licences' },
  sbom: { ...packages, summary: 'print what this program is made of, as CycloneDX JSON' },
  upgrade: {
    summary: 'say what a start of this version would do to the database',
    heading: 'Operate an installation',
    load: async () => (await import('./upgrade.ts')).upgradeCommand,
  },
  config: {
    summary: 'print every setting with its effective value',
    heading: 'Operate an installation',
    load: async () => (await import('./config.ts')).configCommand,
  },
};
