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
import { organizationOption, prints } from '../options.ts';
import { time } from '../screen/text.ts';

interface Place {
  organization?: string;
}

export function organizationCommands(program: Command, host: Host): void {
  orgs(program.command('orgs'), host);
  featureCommands(
    program.command('features').description(`Manage features per organization: ${features.join(', ')}`),
    host,
  );
  plans(program.command('plans'), host);
  audit(program.command('audit'), host);
}

function orgs(group: Command, host: Host): void {
  group
    .command('create <name>')
    .description('Create an organization with a Default project')
    .requiredOption('--owner <user>', 'Owner, by ID or email address')
    .action(async (name: string, { owner }: { owner: string }) => {
      const { id } = await host.withServices(({ db }) => createOrganization(db, { name, owner }));
      process.stdout.write(`${id}\n`);
    });
  prints(
    group.command('list').description('List organizations'),
    () => host.withServices(({ db }) => listOrganizations(db)),
    {
      ID: (row) => row.id,
      Name: (row) => row.name,
      Plan: (row) => row.plan,
      Members: (row) => row.members,
      Projects: (row) => row.projects,
      Features: (row) => row.features.join(', ') || '-',
    },
  );
  group
    .command('delete <org>')
    .description('Delete an organization with all its projects')
    .action(async (org: string) => {
      const id = await host.withServices(({ db }) => deleteOrganization(db, org));
      process.stdout.write(`Deleted ${id}.\n`);
    });
  organizationOption(group.command('plan <plan>').description('Assign a plan to an organization')).action(
    async (plan: string, { organization }: Place) => {
      await host.withServices(({ db }) => setPlan(db, organization, plan));
      process.stdout.write(`The plan is now ${plan}.\n`);
    },
  );
  prints(
    organizationOption(group.command('usage').description('Show the usage of each budget')),
    ({ organization }: Place) =>
      host.withServices(async (services) => {
        const { id } = await organizationNamed(services.db, organization);
        const { limits } = await limitsOf(services, id);
        return Object.entries(await usageOf(services, id)).map(([budget, used]) => ({
          budget,
          used,
          allowed: limits[budget] ?? null,
        }));
      }),
    {
      Budget: (row) => row.budget,
      Used: (row) => row.used,
      Allowed: (row) => row.allowed ?? 'unlimited',
    },
  );
}

function featureCommands(group: Command, host: Host): void {
  for (const [verb, enabled] of [
    ['Enable', true],
    ['Disable', false],
  ] as const)
    organizationOption(
      group.command(`${verb.toLowerCase()} <feature>`).description(`${verb} a feature`),
    ).action(async (feature: string, { organization }: Place) => {
      await host.withServices(({ db }) => setFeature(db, { organization, feature, enabled }));
      process.stdout.write(`${feature} is ${enabled ? 'on' : 'off'}.\n`);
    });
  prints(
    organizationOption(group.command('list').description('List features and their state')),
    async ({ organization }: Place) => {
      const { features: on } = await host.withServices(({ db }) => organizationNamed(db, organization));
      return features.map((feature) => ({ feature, enabled: on.includes(feature) }));
    },
    { Feature: (row) => row.feature, State: (row) => (row.enabled ? 'on' : 'off') },
  );
}

type Plan = Awaited<ReturnType<typeof allPlans>>[number];

function plans(group: Command, host: Host): void {
  const limitOf = (name: string) => [
    name,
    ({ limits }: Plan) => (name in limits ? (limits[name] ?? 'unlimited') : 'default'),
  ];
  prints(
    group.command('list').description('List plans and their limits'),
    () => host.withServices(({ db }) => allPlans(db)),
    { Plan: (row: Plan) => row.name, ...Object.fromEntries(limitNames.map(limitOf)) },
  );
  group
    .command('set <plan> [limits...]')
    .description(
      `Create or change a plan, like: plans set team insightsPerDay=50 credits=unlimited (${limitNames.join(', ')})`,
    )
    .action(async (plan: string, limits: string[]) => {
      const pairs = limits.map((text) => [text.split('=')[0], text.split('=')[1] ?? '']);
      await host.withServices(({ db }) =>
        definePlan(db, plan, Object.fromEntries(pairs) as Record<string, string>),
      );
      process.stdout.write(`Plan ${plan} is set.\n`);
    });
}

function audit(command: Command, host: Host): void {
  prints(
    organizationOption(command).option('--limit <count>', 'Number of events', '50'),
    ({ organization, limit }: Place & { limit: string }) =>
      host.withServices(({ db }) => listAuditEvents(db, organization, limit)),
    {
      Time: (row) => time(row.at),
      Actor: (row) => row.actorEmail ?? row.actor,
      Action: (row) => row.action,
      Target: (row) => (row.targetName === null ? row.target : `${row.targetName} (${row.target})`),
      Request: (row) => row.requestId,
    },
  );
}
