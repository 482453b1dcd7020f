#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { writeBackup } from './platform/backup/backup.ts';
import type { Installation } from './platform/backup/installation.ts';
import { restoreBackup } from './platform/backup/restore.ts';
import { FileBlobStore } from './platform/blobs/store.ts';
import { loadConfig } from './platform/config/load.ts';
import type { Config } from './platform/config/settings.ts';
import { createLog } from './platform/log.ts';
import { blobsFolder, openServices, startService, startWorker } from './service.ts';
import { runCli } from './surfaces/cli/run.ts';

/** This program again, with whatever loader it runs under. */
const demo = {
  command: process.execPath,
  args: [...process.execArgv, fileURLToPath(import.meta.url), 'demo-server', '--stdio'],
};

const installation = (config: Config): Installation => ({
  config,
  blobs: new FileBlobStore(blobsFolder(config)),
  log: createLog(config.logLevel),
});

await runCli(process.argv, {
  load: () => loadConfig(),
  serve: (config, options) => startService(config, { ...options, demo }),
  work: (config) => startWorker(config),
  withServices: async (work) => {
    const services = await openServices(loadConfig().config, { exclusive: false });
    // A database this command started must not outlive it.
    const interrupt = (): void => void services.close().finally(() => process.exit(130));
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    try {
      return await work(services);
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      await services.close();
    }
  },
  backup: (config, file, options) => writeBackup(installation(config), file, options),
  restore: (config, file, attention) => restoreBackup(installation(config), file, attention),
});
