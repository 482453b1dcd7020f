import type { Command } from 'commander';
import type { UpgradeReport } from '../../../platform/upgrade/check.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { jsonText } from '../screen/json.ts';

const codes: Record<UpgradeReport['outcome'], number> = {
  current: exitCodes.passed,
  ready: exitCodes.passed,
  new: exitCodes.passed,
  blocked: exitCodes.failed,
  unreachable: exitCodes.unreachable,
};

export function upgradeCommand(program: Command, host: Host): void {
  program
    .command('upgrade')
    .description('Preview the database upgrade of this version (read-only)')
    .requiredOption('--check', 'Required. The upgrade itself runs when the new version starts')
    .option('--json', 'Print JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 the version can start, 1 it would refuse the database, 4 the database does not respond.',
    )
    .action(async (options: { json?: true }) => {
      const { config } = await host.load();
      const report = await host.checkUpgrade(config);
      const text = options.json ? jsonText(report, process.stdout, 2) : linesOf(report).join('\n');
      process.stdout.write(`${text}\n`);
      process.exitCode = codes[report.outcome];
    });
}

function linesOf(report: UpgradeReport): string[] {
  const { database, migrations, inUse, freeBytes } = report;
  const size = database.bytes === null ? '' : `, ${megabytes(database.bytes)}`;
  const postgres = database.postgres === null ? '' : `: PostgreSQL ${database.postgres}${size}`;
  const lines = [`Program     Drydock ${report.drydock}`, `Database    ${database.kind}${postgres}`];
  if (inUse !== null) {
    const last = migrations.last === null ? '' : `, the last ${migrations.last}`;
    const versions = inUse.versions.length > 0 ? ` (${inUse.versions.join(', ')})` : '';
    lines.push(
      `Migrations  ${migrations.applied} applied${last}; ${migrations.pending.length} pending`,
      ...migrations.pending.map((name) => `            ${name}`),
      ...(migrations.ahead.length > 0
        ? [`Ahead       ${migrations.ahead.join(', ')}, by a newer version`]
        : []),
      `In use by   services: ${inUse.services}, workers: ${inUse.workers}${versions}, connections: ${inUse.connections}, browser holders: ${inUse.browserHolders}`,
    );
  }
  if (freeBytes !== null) lines.push(`Disk        ${megabytes(freeBytes)} free`);
  for (const warning of report.warnings) lines.push(`Warning     ${warning}.`);
  return [...lines, '', ...report.problems.map((problem) => `${problem}.`), ...conclusion(report)];
}

function conclusion({ outcome, backupAdvised }: UpgradeReport): string[] {
  if (outcome === 'current') return ['Nothing to do: the database is up to date.'];
  if (outcome === 'new') return ['There is no database yet. The first start creates it.'];
  if (outcome === 'ready' && backupAdvised)
    return [
      'Starting this version migrates the database, which cannot be undone. The previous version may keep running beside it. Back up first: drydock backup FILE',
    ];
  return [];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
