#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import type { Installation } from './platform/backup/installation.ts';
import type { Config } from './platform/config/settings.ts';
import type { EmbeddedDatabase } from './platform/database/embedded/index.ts';
import type { OpenServices } from './services.ts';
import type { Connected } from './surfaces/cli/connect/connect.ts';
import { handleStdoutError, runCli } from './surfaces/cli/run.ts';

/** The command of the demo server: this program again, with the same loader. */
const demo = {
  command: process.execPath,
  args: [...process.execArgv, fileURLToPath(import.meta.url), 'demo-server', '--stdio'],
};

/** The first argument of a further process of `serve`. Not for people. */
const memberCommand = '__serve-member';

const load = async () => (await import('./platform/config/load.ts')).loadConfig();

async function installation(config: Config): Promise<Installation> {
  const [{ openBlobs }, { createLog }] = await Promise.all([
    import('./platform/blobs/open.ts'),
    import('./platform/log.ts'),
  ]);
  return { config, blobs: openBlobs(config), log: createLog(config.logLevel) };
}

async function withServices<T>(work: (services: OpenServices) => Promise<T>, dataDir?: string): Promise<T> {
  const opening = openForCommand(dataDir);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= opening.then((services) => services.close()));
  let interrupted: Promise<never> | undefined;
  // A database this command started must not outlive it, also when it is interrupted while the database starts.
  const interrupt = (): void => {
    interrupted ??= close().then(
      () => process.exit(130),
      () => process.exit(130),
    );
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const services = await opening;
    try {
      return await work(services);
    } finally {
      await close();
    }
  } finally {
    // After Ctrl-C, exit before the aborted work reports an error.
    await interrupted;
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** Starts the embedded database, if it is used, before the rest of the program is loaded, which takes as long. */
async function beginDatabase(
  config: Config,
  purpose: { exclusive: boolean; temporary?: boolean },
): Promise<EmbeddedDatabase | undefined> {
  if (config.databaseUrl !== undefined) return undefined;
  const [{ EmbeddedDatabase }, { createLog }] = await Promise.all([
    import('./platform/database/embedded/index.ts'),
    import('./platform/log.ts'),
  ]);
  return EmbeddedDatabase.begin(config.dataDir, purpose, createLog(config.logLevel));
}

/** Opens the services of the configured installation, or of a temporary one in `dataDir`. */
async function openForCommand(dataDir: string | undefined): Promise<OpenServices> {
  const { config: found } = await load();
  const temporary = dataDir !== undefined;
  const config = {
    ...found,
    // The progress of opening services, logged as `info`, does not belong in the output of a command.
    logLevel: found.logLevel === 'info' ? ('warn' as const) : found.logLevel,
    ...(temporary && {
      dataDir,
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      blobsUrl: undefined,
    }),
  };
  const purpose = { exclusive: false, temporary };
  const [begun, { openServices }] = await Promise.all([
    beginDatabase(config, purpose),
    import('./services.ts'),
  ]);
  return openServices(config, { ...purpose, begun });
}

/** Without a running service, this process performs operations itself, as the owner of the project. */
async function openHere<T>(
  project: string | undefined,
  work: (connected: Connected) => Promise<T>,
  { temporary = false } = {},
): Promise<T> {
  const [{ clientHere }, { firstBoot, startWorkers }] = await Promise.all([
    import('./surfaces/cli/connect/here.ts'),
    import('./service.ts'),
  ]);
  const act = async (services: OpenServices): Promise<T> => {
    // On a new installation, as in a CI job, creates what a service creates on its first boot.
    await firstBoot(services, services.config.bootstrapKey ?? null, temporary ? undefined : demo);
    const kind = temporary ? 'temporary' : 'here';
    return clientHere(services, { project, kind }, work, startWorkers);
  };
  if (!temporary) return withServices(act);
  const { inTemporaryDataDir } = await import('./platform/database/embedded/temporary.ts');
  return inTemporaryDataDir((dataDir) => withServices(act, dataDir));
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', handleStdoutError);

// Each command loads what it uses when it is run: most of a short command's time is loading.
if (process.argv[2] === memberCommand) await (await import('./processes.ts')).runMember(demo);
else
  await runCli(process.argv, {
    load,
    serve: async (config, options) => {
      const begun = await beginDatabase(config, { exclusive: true });
      if (config.processes > 1) {
        const { startProcesses } = await import('./processes.ts');
        return startProcesses(config, { ...options, begun }, [memberCommand]);
      }
      const { startService } = await import('./service.ts');
      return startService(config, { ...options, demo, begun });
    },
    work: async (config) => (await import('./service.ts')).startWorker(config),
    withServices,
    connect: async (place, work) => {
      const { connected } = await import('./surfaces/cli/connect/connect.ts');
      return connected(place, openHere, work);
    },
    withApi: async (place, work, options) => {
      const { connected } = await import('./surfaces/cli/connect/connect.ts');
      const withProject = async ({ api, projectId, ...where }: Connected) =>
        work(api, await projectId(), where);
      return connected(place, openHere, withProject, { otherwise: 'make', ...options });
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
    completionScript: async (shell) =>
      (await import('./surfaces/cli/completion/scripts.ts')).completionScript(shell),
    checkUpgrade: async (config) => {
      const { checkUpgrade } = await import('./platform/upgrade/check.ts');
      return checkUpgrade(config, (await installation(config)).log);
    },
  });
