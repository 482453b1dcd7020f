import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Counts, ProgressOptions } from '../../../platform/backup/installation.ts';
import type { Config } from '../../../platform/config/settings.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { masterKeyPath } from '../../../platform/secrets/master-key.ts';
import type { Host } from '../host.ts';

export function backupCommands(program: Command, host: Host): void {
  program
    .command('backup <file>')
    .description('Back up the database and all blobs to one file; the service may keep running')
    .option('--force', 'Replace an existing file')
    .option('--with-master-key', 'Include the master key; the file is then as secret as the key')
    .action(async (file: string, options: { force?: true; withMasterKey?: true }) => {
      const { config } = await host.load();
      const counts = await withProgress((attention) =>
        host.backup(config, file, { ...options, ...attention }),
      );
      process.stdout.write(`${keyAdvice(config, file, options.withMasterKey ?? false)}\n`);
      process.stdout.write(`Saved ${contents(counts)} in ${file} (${size(counts.bytes)}).\n`);
    });
  program
    .command('restore <file>')
    .description('Restore a backup into an empty database and blob store; no service may run on them')
    .action(async (file: string) => {
      const { config } = await host.load();
      const done = await withProgress((attention) => host.restore(config, file, attention));
      for (const warning of done.warnings) process.stderr.write(`drydock: ${warning}\n`);
      const origin = `${size(done.bytes)}, created ${done.createdAt} by Drydock ${done.drydock}`;
      process.stdout.write(`Restored ${contents(done)} from ${file} (${origin}).\n`);
    });
}

function keyAdvice(config: Config, file: string, included: boolean): string {
  if (included) return `${file} contains the master key: keep it as secret as the key itself.`;
  const place =
    config.masterKey === undefined ? resolve(masterKeyPath(config.dataDir)) : 'DRYDOCK_MASTER_KEY';
  return `The master key (${place}) is not included. Keep it separately: stored secrets cannot be decrypted without it.`;
}

function contents({ tables, rows, blobs }: Counts): string {
  return `${tables} tables, ${rows} rows and ${blobs} ${blobs === 1 ? 'blob' : 'blobs'}`;
}

function size(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Shows progress on a terminal, and aborts the work on a signal so that it cleans up. */
async function withProgress<T>(work: (attention: ProgressOptions) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort(new OperatorProblem('Interrupted'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const line = process.stderr.isTTY ? (text: string) => process.stderr.write(`\r\x1b[K${text}`) : undefined;
  let shown = 0;
  const progress = (what: string, bytes: number): void => {
    if (Date.now() - shown < 100) return;
    shown = Date.now();
    line?.(`${what}  ${size(bytes)}`);
  };
  try {
    return await work({ signal: interruption.signal, ...(line && { progress }) });
  } finally {
    line?.('');
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
