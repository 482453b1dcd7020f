import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import type { Operation } from '../src/contract/operation.ts';
import { setFeature } from '../src/domain/operator/organizations.ts';
import { arrange } from './support/arrangements.ts';
import { exampleFor, fillPath, makeParameters, parametersOf } from './support/path-parameters.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { snapshotOf } from './support/snapshot.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ worker: false });
});
afterAll(() => dispose(service));

const gated = operationList.filter(({ feature }) => feature?.name === 'swarms');

async function switched(enabled: boolean): Promise<void> {
  await setFeature(service.db, { organization: undefined, feature: 'swarms', enabled });
}

async function call(operation: Operation, parameters: Record<string, string>): Promise<Answer> {
  const body = operation.body ? await exampleFor(service, operation, parameters) : undefined;
  return service.request(operation.method, fillPath(operation.path, parameters), { body });
}

test('swarms, their runs and insights are gated, under both names', () => {
  expect(gated.length).toBeGreaterThan(50);
  expect(new Set(gated.map(({ area }) => area))).toEqual(
    new Set(['Swarms', 'Swarm runs', 'Swarm insights', 'Swarms (later names)']),
  );
});

describe.each(gated)('$id without the feature', (operation) => {
  test('does what its gate says, and leaves everything as it was unless it is always allowed', async () => {
    await switched(true);
    const made = await makeParameters(service, parametersOf(operation));
    const parameters = { ...made, ...(await arrange(service, operation, made)) };
    await switched(false);
    const database = await service.database.connect();
    const before = await snapshotOf(database);
    const answer = await call(operation, parameters);
    const after = await snapshotOf(database);
    await database.end();
    const { off } = operation.feature ?? {};
    const refused = off === 'refuse' ? 403 : off === 'not found' ? 404 : undefined;
    expect(answer.status).toBe(refused ?? operation.status);
    expect(answer.text).toMatch(refused === undefined ? /./ : /does not have swarms.*features enable swarms/);
    expect(typeof off === 'object' ? answer.body : 'whatever').toEqual(
      typeof off === 'object' ? off.answer : 'whatever',
    );
    expect(off === 'allow' ? 'changed' : after).toEqual(off === 'allow' ? 'changed' : before);
  });
});
