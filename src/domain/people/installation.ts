import { resolveModel } from '../../models/resolve.ts';
import { shownSetting } from '../../platform/config/load.ts';
import { type SettingName, settings } from '../../platform/config/settings.ts';
import * as installation from '../../platform/database/queries/installation.ts';
import { version } from '../../platform/version.ts';
import { configuredOrigin, type PublicContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';

export const getInstallation: Verb<'getInstallation'> = async (context) => {
  const { db, config } = context;
  const { startedAt, embedded, connections } = context.installation;
  const [database, blobs, replicas, queues, failures, models] = await Promise.all([
    db.one(installation.database),
    db.one(installation.blobs),
    db.rows(installation.replicas),
    db.rows(installation.queues),
    db.rows(installation.failures),
    modelsOf(context),
  ]);
  const { users, organizations, sessions } = database;
  return {
    version,
    node: process.version,
    startedAt,
    publicUrl: configuredOrigin(context),
    database: {
      version: database.version,
      embedded,
      bytes: database.bytes,
      connections: { ...connections(), most: config.databasePool },
    },
    replicas,
    queues,
    failures: failures.map(({ failedAt, ...failure }) => ({ ...failure, failedAt: failedAt ?? 0 })),
    blobs: { place: config.blobsUrl ?? 'the folder blobs in the data directory', ...blobs },
    models,
    people: { users, organizations, sessions },
    settings: settingsOf(context),
  };
};

async function modelsOf({ db, models }: PublicContext) {
  const pauses = new Map((await db.rows(installation.pauses)).map(({ pool, until }) => [pool, until]));
  return models.list().map(({ id, name, provider }) => {
    const { route } = resolveModel(models, { model: id });
    const pausedUntil = (route && pauses.get(route.pool)) ?? null;
    const state =
      pausedUntil !== null ? ('paused' as const) : route ? ('ready' as const) : ('no key' as const);
    return { id, name, provider, state, pausedUntil };
  });
}

function settingsOf({ config }: PublicContext) {
  return (Object.keys(settings) as SettingName[]).map((name) => {
    const {
      env,
      meaning,
      secret = false,
    } = settings[name] as { env: string; meaning: string; secret?: true };
    return { name: env, value: shownSetting(name, config[name]), secret, meaning };
  });
}
