import type { Command } from 'commander';
import { limitsOf } from '../../../domain/limits/plan.ts';
import { usageOf } from '../../../domain/limits/spend.ts';
import { listAuditEvents } from '../../../domain/operator/audit.ts';
import { listOrganizations, organizationNamed } from '../../../domain/operator/find.ts';
import {
  createOrganization,
  deleteOrganization,
  features,
  setFeature,
  setPlan,
} from '../../../domain/operator/organizations.ts';
import { allPlans, definePlan, limitNames } from '../../../domain/operator/plans.ts';
import type { Host } from '../host.ts';
import { printRows } from '../screen/rows.ts';
import { time } from '../screen/text.ts';

export function organizationCommands(program: Command, host: Host): void {
  orgs(program.command('orgs').description('organizations'), host);
  featureCommands(
    program.command('features').description(`features per organization: ${features.join(', ')}`),
    host,
  );
  plans(program.command('plans').description('limits and daily budgets'), host);
  audit(program, host);
}

function orgs(group: Command, host: Host): void {
  group
    .command('create <name>')
    .description('make an organization with a Default project')
    .requiredOption('--owner <user>', 'its owner, by id or e-mail')
    .action(async (name: string, options: { owner: string }) => {
      const made = await host.withServices(({ db }) =>
        createOrganization(db, { name, owner: options.owner }),
      );
      process.stdout.write(`${made.id}\n`);
    });
  group
    .command('list')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const rows = await host.withServices(({ db }) => listOrganizations(db));
      printRows(
        rows,
        {
          Id: (row) => row.id,
          Name: (row) => row.name,
          Plan: (row) => row.plan,
          Members: (row) => row.members,
          Projects: (row) => row.projects,
          Features: (row) => row.features.join(', ') || '-',
        },
        options.json ?? false,
      );
    });
  group
    .command('delete <org>')
    .description('remove an organization with all its projects')
    .action(async (org: string) => {
      const id = await host.withServices(({ db }) => deleteOrganization(db, org));
      process.stdout.write(`Deleted ${id}.\n`);
    });
  group
    .command('plan <plan>')
    .description('put an organization on a plan')
    .option('--organization <organization>', 'by id or name')
    .action(async (plan: string, options: { organization?: string }) => {
      await host.withServices(({ db }) => setPlan(db, options.organization, plan));
      process.stdout.write(`The plan is now ${plan}.\n`);
    });
  group
    .command('usage')
    .description('what is used of each budget')
    .option('--organization <organization>', 'by id or name')
    .option('--json', 'print JSON')
    .action(async (options: { organization?: string; json?: true }) => {
      const rows = await host.withServices(async (services) => {
        const { id } = await organizationNamed(services.db, options.organization);
        const plan = await limitsOf(services, id);
        const used = await usageOf(services, id);
        return Object.entries(used).map(([budget, amount]) => ({
          budget,
          used: amount,
          allowed: plan.limits[budget] ?? null,
        }));
      });
      printRows(
        rows,
        {
          Budget: (row) => row.budget,
          Used: (row) => row.used,
          Allowed: (row) => row.allowed ?? 'unlimited',
        },
        options.json ?? false,
      );
    });
}

function featureCommands(group: Command, host: Host): void {
  for (const [verb, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    group
      .command(`${verb} <feature>`)
      .option('--organization <organization>', 'by id or name')
      .action(async (feature: string, options: { organization?: string }) => {
        await host.withServices(({ db }) =>
          setFeature(db, { organization: options.organization, feature, enabled }),
        );
        process.stdout.write(`${feature} is ${enabled ? 'on' : 'off'}.\n`);
      });
  group
    .command('list')
    .option('--organization <organization>', 'by id or name')
    .option('--json', 'print JSON')
    .action(async (options: { organization?: string; json?: true }) => {
      const { features: on } = await host.withServices(({ db }) =>
        organizationNamed(db, options.organization),
      );
      const rows = features.map((feature) => ({ feature, enabled: on.includes(feature) }));
      printRows(
        rows,
        { Feature: (row) => row.feature, State: (row) => (row.enabled ? 'on' : 'off') },
        options.json ?? false,
      );
    });
}

function plans(group: Command, host: Host): void {
  group
    .command('list')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const rows = await host.withServices(({ db }) => allPlans(db));
      const limits = Object.fromEntries(
        limitNames.map((name) => [
          name,
          (row: (typeof rows)[0]) => (name in row.limits ? (row.limits[name] ?? 'unlimited') : 'default'),
        ]),
      );
      printRows(rows, { Plan: (row) => row.name, ...limits }, options.json ?? false);
    });
  group
    .command('set <plan> [limits...]')
    .description(
      `make or change a plan, like: plans set team insightsPerDay=50 credits=unlimited (${limitNames.join(', ')})`,
    )
    .action(async (plan: string, limits: string[]) => {
      const pairs = limits.map((text) => [text.split('=')[0], text.split('=')[1] ?? '']);
      await host.withServices(({ db }) =>
        definePlan(db, plan, Object.fromEntries(pairs) as Record<string, string>),
      );
      process.stdout.write(`Plan ${plan} is set.\n`);
    });
}

function audit(program: Command, host: Host): void {
  program
    .command('audit')
    .description('who changed what, newest first')
    .option('--organization <organization>', 'by id or name')
    .option('--limit <count>', 'how many', '50')
    .option('--json', 'print JSON')
    .action(async (options: { organization?: string; limit: string; json?: true }) => {
      const rows = await host.withServices(({ db }) =>
        listAuditEvents(db, options.organization, options.limit),
      );
      printRows(
        rows,
        {
          Time: (row) => time(row.at),
          Actor: (row) => row.actorEmail ?? row.actor,
          Action: (row) => row.action,
          Target: (row) => (row.targetName === null ? row.target : `${row.targetName} (${row.target})`),
          Request: (row) => row.requestId,
        },
        options.json ?? false,
      );
    });
}
