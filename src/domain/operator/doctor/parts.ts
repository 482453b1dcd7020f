import { findChromium, launchChromium } from '../../../browser/chromium.ts';
import { catalogSources, loadModelCatalog } from '../../../models/catalog.ts';
import type { Config } from '../../../platform/config/settings.ts';
import * as installation from '../../../platform/database/queries/installation.ts';
import { serviceIn } from '../../../platform/local-service.ts';
import type { Log } from '../../../platform/log.ts';
import { telemetrySettings } from '../../../platform/telemetry/variables.ts';
import { type Check, type DoctorFinding, ok, problem, warning } from './check.ts';
import type { DatabaseToCheck } from './database.ts';

/** Time limit in milliseconds; starting a browser may take a minute on a busy machine. */
const browserTime = 75_000;
const minute = 60_000;

export function partChecks(database: DatabaseToCheck, config: Config, log: Log): Check[] {
  return [
    { name: 'browser', within: browserTime, run: () => browser(config, log) },
    { name: 'models', run: async () => models(config) },
    { name: 'workers', run: () => workers(database, config) },
    { name: 'telemetry', run: async () => telemetry() },
  ];
}

async function browser({ browser: place }: Config, log: Log): Promise<DoctorFinding> {
  if (place === 'off') return ok('Off (DRYDOCK_BROWSER)');
  if (place !== undefined && !place.startsWith('/') && !/^[A-Za-z]:[\\/]/.test(place))
    return ok('Remote browser (DRYDOCK_BROWSER); not contacted');
  const path = place ?? findChromium();
  if (path === undefined)
    return warning(
      'No Chromium on this machine: widgets and browser sessions are refused',
      'Install chromium, or name one in DRYDOCK_BROWSER, or set it to off',
    );
  // Loads no page; the dead proxy blocks any request.
  const launched = await launchChromium({ path, proxy: 'http://127.0.0.1:9', log });
  const version = launched.browser.version();
  await launched.end();
  return ok(`${path} starts, version ${version}`);
}

/** Calls no model, since calls may cost money. */
function models(config: Config): DoctorFinding {
  const catalog = loadModelCatalog(catalogSources(config, process.env));
  const hosted = catalog.list().filter((model) => model.hosted && !model.offline).length;
  const [lacking] = catalog.warnings;
  if (lacking !== undefined) return warning(lacking, 'Set it, or remove the connection from the models file');
  if (hosted === 0) return ok('The offline model only');
  return ok(`${hosted} hosted besides the offline model; not contacted`);
}

async function workers(database: DatabaseToCheck, { databaseUrl, dataDir }: Config): Promise<DoctorFinding> {
  const { queues, replicas } = await database.ask(async (db) => ({
    queues: await db.rows(installation.queues),
    replicas: await db.rows(installation.replicas),
  }));
  const now = Date.now();
  const oldest = Math.max(
    0,
    ...queues.map(({ oldestDueAt }) => (oldestDueAt === null ? 0 : now - oldestDueAt)),
  );
  const failed = queues.reduce((sum, queue) => sum + (queue.failed ?? 0), 0);
  const separate = replicas.filter(({ role }) => role === 'worker').length;
  const services = databaseUrl === undefined ? (serviceIn(dataDir) ? 1 : 0) : replicas.length - separate;
  const seen = [counted(services, 'service'), ...(separate > 0 ? [counted(separate, 'worker')] : [])];
  const said = `${seen.join(' and ')} seen, the oldest due job has waited ${(oldest / 1000).toFixed(0)} s`;
  if (oldest > 10 * minute)
    return problem(
      said,
      'Jobs are not being processed: start drydock serve or drydock worker, or check its log',
    );
  if (oldest > minute)
    return warning(said, 'Start another worker, or find out why the running ones are slow');
  if (failed > 0)
    return warning(
      `${said}; ${failed} jobs failed permanently in the last 7 days`,
      'See the log, or the installation page of the console',
    );
  return ok(said);
}

function counted(count: number, thing: string): string {
  return `${count} ${count === 1 ? thing : `${thing}s`}`;
}

function telemetry(): DoctorFinding {
  const settings = telemetrySettings(process.env);
  if (!settings) return ok('Nothing is sent: no OTEL_EXPORTER_OTLP_ENDPOINT is set');
  const sent = [settings.traces && 'traces', settings.metrics && 'metrics'].filter(Boolean);
  return ok(`Sends ${sent.join(' and ')}; the collector was not contacted`);
}
