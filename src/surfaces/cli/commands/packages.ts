import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import { printRows } from '../screen/rows.ts';

/** As scripts/sbom.mjs writes it. */
interface Component {
  group?: string;
  name: string;
  version: string;
  licenses: [{ expression?: string; license?: { id: string } }];
  properties: [{ name: 'drydock:use'; value: string }];
}

/** Both read what the build has written beside the program. */
export function packageCommands(program: Command): void {
  program
    .command('licenses')
    .description(
      'list the third-party packages in this program, and those installed with it, with their licences',
    )
    .option('--text', 'print the texts of the licences of what is in the program instead')
    .option('--json', 'print JSON')
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
          Licence: (row) => row.license,
          Use: (row) => row.use,
        },
        options.json ?? false,
      );
    });
  program
    .command('sbom')
    .description('print what this program is made of, as CycloneDX 1.6 JSON')
    .action(() => void process.stdout.write(built('sbom.json')));
}

function texts(): string {
  const files = ['THIRD-PARTY-LICENSES.txt', '../console/THIRD-PARTY-LICENSES.txt'];
  return files.map((file) => built(file)).join('\n');
}

function built(file: string): string {
  try {
    return readFileSync(new URL(file, import.meta.url), 'utf8');
  } catch {
    throw new OperatorProblem('Only the built program knows what it is made of: npm run build');
  }
}
