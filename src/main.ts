#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import type { Installation } from './platform/backup/installation.ts';
import type { Config } from './platform/config/settings.ts';
import type { OpenServices } from './services.ts';
import type { Connected } from './surfaces/cli/connect/connect.ts';
import { runCli, unread } from './surfaces/cli/run.ts';

/** This program again, with whatever loader it runs under. */
const demo = {
  command: process.execPath,
  args: [...process.execArgv, fileURLToPath(import.meta.url), 'demo-server', '--stdio'],
};

const load = async () => (await import('./platform/config/load.ts')).loadConfig();

async function installation(config: Config): Promise<Installation> {
  const [{ openBlobs }, { createLog }] = await Promise.all([
    import('./platform/blobs/open.ts'),
    import('./platform/log.ts'),
  ]);
  return { config, blobs: openBlobs(config), log: createLog(config.logLevel) };
}

async function withServices<T>(work: (services: OpenServices) => Promise<T>): Promise<T> {
  const { openServices } = await import('./services.ts');
  const services = await openServices((await load()).config, { exclusive: false });
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

/** Where no service runs, this process does what it would do, as the owner of the project. */
async function openHere<T>(
  project: string | undefined,
  work: (connected: Connected) => Promise<T>,
): Promise<T> {
  const [{ clientHere }, { firstBoot, workOn }] = await Promise.all([
    import('./surfaces/cli/connect/here.ts'),
    import('./service.ts'),
  ]);
  return withServices(async (services) => {
    // Where no service was yet, as in a job of CI, there is something to work with all the same.
    await firstBoot(services, services.config.bootstrapKey ?? null, demo);
    return clientHere(services, project, work, workOn);
  });
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', unread);

// Each command loads what it uses when it is run: most of a short command's time is loading.
await runCli(process.argv, {
  load,
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
  connect: async (place, work) => {
    const { connected } = await import('./surfaces/cli/connect/connect.ts');
    return connected(place, openHere, work);
  },
  withApi: async (place, work) => {
    const { connected } = await import('./surfaces/cli/connect/connect.ts');
    const withProject = async ({ api, projectId, origin }: Connected) => work(api, await projectId(), origin);
    return connected(place, openHere, withProject, { orMakeHere: true });
  },
  examine: async () => {
    const { config, unknown } = await load();
    const [{ examineInstallation }, { createLog }] = await Promise.all([
      import('./domain/operator/doctor/examine.ts'),
      import('./platform/log.ts'),
    ]);
    return examineInstallation({ config, unknown, log: createLog('silent') });
  },
  backup: async (config, file, options) => {
    const { writeBackup } = await import('./platform/backup/backup.ts');
    return writeBackup(await installation(config), file, options);
  },
  restore: async (config, file, attention) => {
    const { restoreBackup } = await import('./platform/backup/restore.ts');
    return restoreBackup(await installation(config), file, attention);
  },
  checkUpgrade: async (config) => {
    const { checkUpgrade } = await import('./platform/upgrade/check.ts');
    return checkUpgrade(config, (await installation(config)).log);
  },
});
