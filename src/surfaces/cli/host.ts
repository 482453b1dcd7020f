import type { Services } from '../../domain/context/context.ts';
import type { Found } from '../../domain/operator/doctor/check.ts';
import type { BackupOptions } from '../../platform/backup/backup.ts';
import type { Counts, ProgressOptions } from '../../platform/backup/installation.ts';
import type { Restored } from '../../platform/backup/restore.ts';
import type { LoadedConfig } from '../../platform/config/load.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { UpgradeReport } from '../../platform/upgrade/check.ts';
import type { Client } from '../client/index.ts';
import type { Connected, ConnectOptions, Where } from './connect/connect.ts';
import type { LocationOptions } from './connect/service-location.ts';

/** The functions of the composition root that commands use. */
export interface Host {
  load(): Promise<LoadedConfig>;
  serve(
    config: Config,
    options: { worker: boolean },
  ): Promise<{
    baseUrl: string;
    docsUrl: string;
    consoleUrl: string;
    firstKey: string | undefined;
    firstKeyGenerated: boolean;
    demoServer: string | undefined;
    warning: string | undefined;
    stop: () => Promise<void>;
  }>;
  /** Runs background jobs until stopped; `healthUrl` is set when it listens. */
  work(config: Config): Promise<{ healthUrl: string | undefined; stop: () => Promise<void> }>;
  /** Opens the database next to a service that may be running, and closes it afterwards. */
  withServices<T>(work: (services: Services) => Promise<T>): Promise<T>;
  /** Connects to the service that the options select. */
  connect<T>(place: LocationOptions, work: (connected: Connected) => Promise<T>): Promise<T>;
  /**
   * Connects to a project of that service. Without a service, creates an installation in this folder or for this
   * command.
   */
  withApi<T>(
    place: LocationOptions,
    work: (api: Client, projectId: string, where: Where) => Promise<T>,
    options?: ConnectOptions,
  ): Promise<T>;
  /** Runs the diagnostics of this installation. */
  examine(): Promise<Found[]>;
  backup(config: Config, file: string, options: BackupOptions): Promise<Counts>;
  restore(config: Config, file: string, attention: ProgressOptions): Promise<Restored>;
  /** The completion script of a shell, which lists every command and flag. */
  completionScript(shell: string): Promise<string>;
  /** Inspects the configured database without changing it. */
  checkUpgrade(config: Config): Promise<UpgradeReport>;
}
