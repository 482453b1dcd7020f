#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import type { Installation } from './platform/backup/installation.ts';
import { loadConfig } from './platform/config/load.ts';
import type { Config } from './platform/config/settings.ts';
import type { OpenServices } from './services.ts';
import { runCli } from './surfaces/cli/run.ts';

/** This program again, with whatever loader it runs under. */
const demo = {
  command: process.execPath,
  args: [...process.execArgv, fileURLToPath(import.meta.url), 'demo-server', '--stdio'],
};

async function installation(config: Config): Promise<Installation> {
  const [{ openBlobs }, { createLog }] = await Promise.all([
    import('./platform/blobs/open.ts'),
    import('./platform/log.ts'),
  ]);
  return { config, blobs: openBlobs(config), log: createLog(config.logLevel) };
}

async function withServices<T>(work: (services: OpenServices) => Promise<T>): Promise<T> {
  const { openServices } = await import('./services.ts');
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
}

// Each command loads what it uses when it is run: most of a short command's time is loading.
await runCli(process.argv, {
  load: () => loadConfig(),
  serve: async (config, options) => {
    const { openService } = await import('./services.ts');
    const opened = openService(config);
    // Whether it opens is asked for below; until then the database starts while the rest of the program loads.
    opened.catch(() => {});
    const { startService } = await import('./service.ts');
    return startService(config, { ...options, demo, opened });
  },
  work: async (config) => (await import('./service.ts')).startWorker(config),
  withServices,
  withApi: async (place, work) => {
    const { elsewhere, here } = await import('./surfaces/cli/api.ts');
    if (place.url !== undefined) return elsewhere(place.url, place.project, work);
    const { firstBoot, workOn } = await import('./service.ts');
    return withServices(async (services) => {
      // Where no service was yet, as in a job of CI, there is something to work with all the same.
      await firstBoot(services, services.config.bootstrapKey ?? null, demo);
      return here(services, place.project, work, workOn);
    });
  },
  backup: async (config, file, options) => {
    const { writeBackup } = await import('./platform/backup/backup.ts');
    return writeBackup(await installation(config), file, options);
  },
  restore: async (config, file, attention) => {
    const { restoreBackup } = await import('./platform/backup/restore.ts');
    return restoreBackup(await installation(config), file, attention);
  },
});
