import { expect, test } from 'vitest';
import { usesIn } from './uses-in.ts';

test('an environment has a server through its group, or without one through its client', () => {
  const environment = (id: string, hostId: string, serverAttachmentId?: string) => ({
    id,
    name: id,
    hostId,
    ...(serverAttachmentId !== undefined && { serverAttachmentId }),
  });
  const uses = usesIn(
    { id: 'srv_1', name: 'weather' },
    {
      suites: [
        { id: 'sui_1', name: 'By name', environment: { servers: ['weather'], computerEnvironment: null } },
        { id: 'sui_2', name: 'Another', environment: { servers: ['ships'], computerEnvironment: null } },
      ],
      clients: [
        {
          id: 'cli_1',
          name: 'With',
          config: { schemaVersion: 2, modelId: 'm', optionalServerIds: ['srv_1'] },
        },
        { id: 'cli_2', name: 'Without', config: { schemaVersion: 2, modelId: 'm', serverIds: ['srv_2'] } },
      ],
      groups: [
        { id: 'grp_1', name: 'Has it', serverIds: ['srv_2', 'srv_1'] },
        { id: 'grp_2', name: 'Has another', serverIds: ['srv_2'] },
      ],
      environments: [
        environment('through client', 'cli_1'),
        environment('through group', 'cli_2', 'grp_1'),
        environment('group instead of client', 'cli_1', 'grp_2'),
        environment('neither', 'cli_2'),
      ],
    },
  );
  expect(uses.map(({ kind, name }) => `${kind}: ${name}`)).toEqual([
    'suite: By name',
    'client: With',
    'group: Has it',
    'environment: through client',
    'environment: through group',
  ]);
});
