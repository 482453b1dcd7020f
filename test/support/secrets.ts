import type pg from 'pg';
import * as secrets from '../../src/platform/database/queries/secrets.ts';
import { dispose, startTestService, type TestService } from './service.ts';

/** In every value, to look for afterwards. */
export const marker = 'tell-nobody-7c1f';
export const plain = (name: string) => ({
  name,
  value: `${marker} of ${name}`,
  delivery: 'materialized' as const,
});
export const brokered = (name: string) => ({
  name,
  value: `${marker} of ${name}`,
  delivery: 'brokered' as const,
  brokerHosts: ['api.example.com'],
  brokerHeader: 'X-Api-Key',
  brokerTemplate: 'Bearer {}',
});
export const personal = (name: string) => ({ ...plain(name), sharing: 'user' as const });

interface Person {
  userId: string;
  key: string;
}

/** A service with a project, its owner and two members, and a view of its database. */
export interface SecretsWorld {
  service: TestService;
  database: pg.Client;
  project: string;
  path: string;
  me: string;
  member: Person;
  other: Person;
  valueOf(id: string, userId?: string): Promise<unknown>;
  sealedValues(): Promise<number>;
  end(): Promise<void>;
}

export async function startSecretsWorld(): Promise<SecretsWorld> {
  // Without a worker nothing but the requests writes.
  const service = await startTestService({ worker: false });
  const database = await service.database.connect();
  const project = await service.defaultProject();
  const me = (await service.get('/me')).body.id as string;
  return {
    service,
    database,
    project,
    path: `/projects/${project}/secrets`,
    me,
    member: await service.member('member'),
    other: await service.member('member'),
    valueOf: async (id, userId = me) => {
      const secret = await service.db.row(secrets.find, { projectId: project, userId, id });
      return service.running.services.vault.open(service.db, secret?.sealedId ?? '');
    },
    sealedValues: async () => {
      const { rows } = await database.query('select count(*)::int as count from sealed_values');
      return rows[0].count as number;
    },
    end: async () => {
      await database.end();
      await dispose(service);
    },
  };
}
