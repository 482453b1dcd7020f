import type { Command } from 'commander';
import { addSkill, listSkills, removeSkill } from '../../../domain/operator/skills.ts';
import { skillBounds } from '../../../domain/skills/parse.ts';
import { readFolder } from '../../../platform/folder.ts';
import type { Host } from '../host.ts';
import { prints, projectOption } from '../options.ts';
import { time } from '../screen/text.ts';

export function skillCommands(program: Command, host: Host): void {
  const group = program.command('skills');
  projectOption(
    group
      .command('add <folder>')
      .description('Add the skill in a folder with a SKILL.md, or replace the one with its name'),
  )
    .option('--owner <user>', 'Make it personal to this user, by ID or email address')
    .action(async (folder: string, options: { project?: string; owner?: string }) => {
      const files = await readFolder(folder, skillBounds);
      const { id } = await host.withServices(({ db }) => addSkill(db, files, options));
      process.stdout.write(`${id}\n`);
    });
  prints(
    group
      .command('list-all')
      .description('List the skills of all projects; works without a running service')
      .option('--project <project>', 'Project, by ID or name (default: all projects)'),
    ({ project }: { project?: string }) => host.withServices(({ db }) => listSkills(db, project)),
    {
      ID: (row) => row.id,
      Name: (row) => row.name,
      Project: (row) => row.projectId,
      Sharing: (row) => (row.sharing === 'project' ? 'project' : `only ${row.email ?? '(deleted)'}`),
      Origin: (row) => row.provenance,
      Updated: (row) => time(row.updatedAt),
    },
  );
  group
    .command('remove <id>')
    .description('Remove a skill')
    .action(async (id: string) => {
      await host.withServices(({ db }) => removeSkill(db, id));
      process.stdout.write(`Removed ${id}.\n`);
    });
}
