import type { Command } from 'commander';
import { addSkill, listSkills, removeSkill } from '../../../domain/operator/skills.ts';
import { skillBounds } from '../../../domain/skills/parse.ts';
import { readFolder } from '../../../platform/folder.ts';
import type { Host } from '../host.ts';
import { printRows } from '../screen/rows.ts';
import { time } from '../screen/text.ts';

export function skillCommands(program: Command, host: Host): void {
  const group = program.command('skills').description('instructions that models can be given');
  group
    .command('add <folder>')
    .description('add the skill in a folder with a SKILL.md, or replace the one with its name')
    .option('--project <project>', 'project, by id or name; the Default project when left out')
    .option('--owner <user>', 'make it personal to this user, by id or e-mail')
    .action(async (folder: string, options: { project?: string; owner?: string }) => {
      const files = await readFolder(folder, skillBounds);
      const { id } = await host.withServices(({ db }) => addSkill(db, files, options));
      process.stdout.write(`${id}\n`);
    });
  group
    .command('list-all')
    .description('list the skills of every project, from the database')
    .option('--project <project>', 'project, by id or name; all projects when left out')
    .option('--json', 'print JSON')
    .action(async (options: { project?: string; json?: true }) => {
      const rows = await host.withServices(({ db }) => listSkills(db, options.project));
      printRows(
        rows,
        {
          Id: (row) => row.id,
          Name: (row) => row.name,
          Project: (row) => row.projectId,
          Sharing: (row) => (row.sharing === 'project' ? 'project' : `only ${row.email ?? '(gone)'}`),
          Origin: (row) => row.provenance,
          Updated: (row) => time(row.updatedAt),
        },
        options.json ?? false,
      );
    });
  group
    .command('remove <id>')
    .description('remove a skill')
    .action(async (id: string) => {
      await host.withServices(({ db }) => removeSkill(db, id));
      process.stdout.write(`Removed ${id}.\n`);
    });
}
