import type { Command } from 'commander';
import { listUsers } from '../../../domain/operator/find.ts';
import { createKey, listKeys, revokeKey } from '../../../domain/operator/keys.ts';
import { listMembers, removeMember, setMember } from '../../../domain/operator/members.ts';
import { createUser, deleteUser, setOperator } from '../../../domain/operator/users.ts';
import type { Host } from '../host.ts';
import { printRows } from '../screen/rows.ts';
import { time } from '../screen/text.ts';

interface Place {
  organization?: string;
  project?: string;
}

export function identityCommands(program: Command, host: Host): void {
  keys(program.command('keys').description('API keys'), host);
  users(program.command('users').description('accounts that own keys'), host);
  members(program.command('members').description('who belongs to an organization or a project'), host);
}

function keys(group: Command, host: Host): void {
  group
    .command('create')
    .description('make a key and print it, this once')
    .option('--organization <organization>', 'by id or name')
    .option('--user <user>', 'owner, by id or e-mail')
    .option('--name <name>', 'what it is for', 'unnamed')
    .option('--json', 'print JSON')
    .action(async (options: { organization?: string; user?: string; name: string; json?: true }) => {
      const made = await host.withServices(({ db }) =>
        createKey(db, { organization: options.organization, user: options.user, name: options.name }),
      );
      process.stdout.write(options.json ? `${JSON.stringify(made)}\n` : `${made.key}\n`);
      if (!options.json) process.stderr.write(`Key ${made.id}. It is not shown again.\n`);
    });
  group
    .command('list')
    .option('--organization <organization>', 'by id or name')
    .option('--json', 'print JSON')
    .action(async (options: { organization?: string; json?: true }) => {
      const rows = await host.withServices(({ db }) => listKeys(db, options.organization));
      printRows(
        rows,
        {
          Id: (row) => row.id,
          Name: (row) => row.name,
          Key: (row) => row.hint,
          Owner: (row) => row.email ?? '(gone)',
          Organization: (row) => row.organizationName ?? '(orphaned)',
          'Last used': (row) => time(row.lastUsedAt),
          State: (row) => (row.revokedAt === null ? 'works' : `revoked ${time(row.revokedAt)}`),
        },
        options.json ?? false,
      );
    });
  group
    .command('revoke <id>')
    .description('stop a key from the next request on')
    .action(async (id: string) => {
      await host.withServices(({ db }) => revokeKey(db, id));
      process.stdout.write(`Revoked ${id}.\n`);
    });
}

function users(group: Command, host: Host): void {
  group
    .command('create <email>')
    .option('--name <name>', 'full name')
    .action(async (email: string, options: { name?: string }) => {
      const { id, warning } = await host.withServices(async ({ db, trust }) => {
        const closing = await trust.closedByAnother();
        return { id: await createUser(db, { email, name: options.name ?? email }), warning: closing };
      });
      process.stdout.write(`${id}\n`);
      if (warning !== undefined) process.stderr.write(`${warning}\n`);
    });
  group
    .command('list')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const rows = await host.withServices(({ db }) => listUsers(db));
      const columns = {
        Id: (row: (typeof rows)[0]) => row.id,
        Email: (row: (typeof rows)[0]) => row.email,
        Name: (row: (typeof rows)[0]) => row.name,
        Operator: (row: (typeof rows)[0]) => (row.operator ? 'yes' : ''),
      };
      printRows(rows, columns, options.json ?? false);
    });
  group
    .command('operator <user>')
    .description('let somebody see how the installation is, in the console')
    .option('--remove', 'no longer')
    .action(async (user: string, options: { remove?: true }) => {
      await host.withServices(({ db }) => setOperator(db, user, !options.remove));
      process.stdout.write(`${user} is ${options.remove ? 'no longer an' : 'now an'} operator.\n`);
    });
  group
    .command('delete <user>')
    .description('remove an account; its keys and sessions stop working')
    .action(async (user: string) => {
      await host.withServices(({ db }) => deleteUser(db, user));
      process.stdout.write(`Deleted ${user}.\n`);
    });
}

function members(group: Command, host: Host): void {
  const at = (command: Command): Command =>
    command
      .option('--organization <organization>', 'by id or name')
      .option('--project <project>', 'a project instead of the organization, by id or name');
  const place = (options: Place) => ({ organization: options.organization, project: options.project });
  at(group.command('list'))
    .option('--json', 'print JSON')
    .action(async (options: Place & { json?: true }) => {
      const rows = await host.withServices(({ db }) => listMembers(db, place(options)));
      printRows(
        rows,
        {
          Id: (row) => row.userId,
          Email: (row) => row.email,
          Name: (row) => row.name,
          Role: (row) => row.role,
        },
        options.json ?? false,
      );
    });
  at(group.command('set <user> <role>'))
    .description('add a member or change their role: owner, admin, member; in a project: admin, member')
    .action(async (user: string, role: string, options: Place) => {
      await host.withServices(({ db }) => setMember(db, place(options), { user, role }));
      process.stdout.write(`${user} is now ${role}.\n`);
    });
  at(group.command('remove <user>'))
    .description('take a member out; their keys in the organization become orphans')
    .action(async (user: string, options: Place) => {
      await host.withServices(({ db }) => removeMember(db, place(options), user));
      process.stdout.write(`${user} is out.\n`);
    });
}
