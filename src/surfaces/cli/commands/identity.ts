import type { Command } from 'commander';
import { listUsers } from '../../../domain/operator/find.ts';
import { createKey, listKeys, revokeKey } from '../../../domain/operator/keys.ts';
import { listMembers, removeMember, setMember } from '../../../domain/operator/members.ts';
import { createUser, deleteUser, setOperator } from '../../../domain/operator/users.ts';
import type { Host } from '../host.ts';
import { jsonOption, organizationOption, prints } from '../options.ts';
import { time } from '../screen/text.ts';

interface Place {
  organization?: string;
  project?: string;
}

export function identityCommands(program: Command, host: Host): void {
  keys(program.command('keys'), host);
  users(program.command('users'), host);
  members(program.command('members'), host);
}

function keys(group: Command, host: Host): void {
  const create = group
    .command('create')
    .description('Create a key and print it once')
    .option('--user <user>', 'Owner, by ID or email address')
    .option('--name <name>', 'Purpose of the key', 'unnamed');
  jsonOption(organizationOption(create)).action(
    async (options: { organization?: string; user?: string; name: string; json?: true }) => {
      const { organization, user, name, json } = options;
      const created = await host.withServices(({ db }) => createKey(db, { organization, user, name }));
      process.stdout.write(json ? `${JSON.stringify(created)}\n` : `${created.key}\n`);
      if (!json) process.stderr.write(`Key ${created.id}. It is not shown again.\n`);
    },
  );
  prints(
    organizationOption(group.command('list').description('List API keys')),
    ({ organization }: Place) => host.withServices(({ db }) => listKeys(db, organization)),
    {
      ID: (row) => row.id,
      Name: (row) => row.name,
      Key: (row) => row.hint,
      Owner: (row) => row.email ?? '(deleted)',
      Organization: (row) => row.organizationName ?? '(orphaned)',
      'Last used': (row) => time(row.lastUsedAt),
      State: (row) => (row.revokedAt === null ? 'active' : `revoked ${time(row.revokedAt)}`),
    },
  );
  group
    .command('revoke <id>')
    .description('Revoke a key, effective from the next request')
    .action(async (id: string) => {
      await host.withServices(({ db }) => revokeKey(db, id));
      process.stdout.write(`Revoked ${id}.\n`);
    });
}

function users(group: Command, host: Host): void {
  group
    .command('create <email>')
    .description('Create a user account')
    .option('--name <name>', 'Full name')
    .action(async (email: string, options: { name?: string }) => {
      const { id, warning } = await host.withServices(async ({ db, trust }) => {
        const closing = await trust.restrictionsForSecondUser();
        return { id: await createUser(db, { email, name: options.name ?? email }), warning: closing };
      });
      process.stdout.write(`${id}\n`);
      if (warning !== undefined) process.stderr.write(`${warning}\n`);
    });
  prints(
    group.command('list').description('List user accounts'),
    () => host.withServices(({ db }) => listUsers(db)),
    {
      ID: (row) => row.id,
      Email: (row) => row.email,
      Name: (row) => row.name,
      Operator: (row) => (row.operator ? 'yes' : ''),
    },
  );
  group
    .command('operator <user>')
    .description('Let a user see the status of the installation in the console')
    .option('--remove', 'Revoke this permission')
    .action(async (user: string, options: { remove?: true }) => {
      await host.withServices(({ db }) => setOperator(db, user, !options.remove));
      process.stdout.write(`${user} is ${options.remove ? 'no longer an' : 'now an'} operator.\n`);
    });
  group
    .command('delete <user>')
    .description('Delete an account with its keys and sessions')
    .action(async (user: string) => {
      await host.withServices(({ db }) => deleteUser(db, user));
      process.stdout.write(`Deleted ${user}.\n`);
    });
}

function members(group: Command, host: Host): void {
  const add = (name: string, description: string): Command =>
    organizationOption(group.command(name).description(description)).option(
      '--project <project>',
      'A project instead of the organization, by ID or name',
    );
  const place = ({ organization, project }: Place) => ({ organization, project });
  prints(
    add('list', 'List the members of an organization or project'),
    (options: Place) => host.withServices(({ db }) => listMembers(db, place(options))),
    {
      ID: (row) => row.userId,
      Email: (row) => row.email,
      Name: (row) => row.name,
      Role: (row) => row.role,
    },
  );
  add(
    'set <user> <role>',
    'Add a member or change a role: owner, admin or member; in a project: admin or member',
  ).action(async (user: string, role: string, options: Place) => {
    await host.withServices(({ db }) => setMember(db, place(options), { user, role }));
    process.stdout.write(`${user} is now ${role}.\n`);
  });
  add('remove <user>', 'Remove a member; their keys in the organization become orphaned').action(
    async (user: string, options: Place) => {
      await host.withServices(({ db }) => removeMember(db, place(options), user));
      process.stdout.write(`Removed ${user}.\n`);
    },
  );
}
