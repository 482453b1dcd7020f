import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import { jsonOption } from '../options.ts';
import { printRows } from '../screen/rows.ts';

/** A component as scripts/sbom.mjs writes it. */
interface Component {
  group?: string;
  name: string;
  version: string;
  licenses: [{ expression?: string; license?: { id: string } }];
  properties: [{ name: 'drydock:use'; value: string }];
}

export function packageCommands(program: Command): void {
  jsonOption(program.command('licenses'))
    .description(
      'List the third-party packages in this program, and those installed with it, with their licenses',
    )
    .option('--text', 'Print the license texts of the packages in the program instead')
    .action((options: { text?: true; json?: true }) => {
      if (options.text) return void process.stdout.write(texts());
      const { components } = JSON.parse(built('sbom.json')) as { components: Component[] };
      const rows = components.map(
        ({ group, name, version, licenses: [{ expression, license }], properties }) => ({
          name: group === undefined ? name : `${group}/${name}`,
          version,
          license: expression ?? license?.id,
          use: properties[0].value,
        }),
      );
      printRows(
        rows,
        {
          Package: (row) => row.name,
          Version: (row) => row.version,
          License: (row) => row.license,
          Use: (row) => row.use,
        },
        options.json ?? false,
      );
    });
  program.command('sbom').action(() => void process.stdout.write(built('sbom.json')));
}

function texts(): string {
  const files = ['THIRD-PARTY-LICENSES.txt', '../console/THIRD-PARTY-LICENSES.txt'];
  return files.map((file) => built(file)).join('\n');
}

function built(file: string): string {
  try {
    return readFileSync(new URL(file, import.meta.url), 'utf8');
  } catch {
    throw new OperatorProblem('Only the built program contains an SBOM: npm run build');
  }
}
