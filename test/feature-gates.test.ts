// @module-tag long
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

type Gated = Operation & { feature: NonNullable<Operation['feature']> };
const gated = operationList.filter((operation): operation is Gated => operation.feature !== undefined);

async function switched({ feature: { name: feature } }: Gated, enabled: boolean): Promise<void> {
  await setFeature(service.db, { organization: undefined, feature, enabled });
}

async function call(operation: Operation, parameters: Record<string, string>): Promise<Answer> {
  const body = operation.body ? await exampleFor(service, operation, parameters) : undefined;
  return service.request(operation.method, fillPath(operation.path, parameters), { body });
}

test('swarms and studies are gated, under both names', () => {
  expect(gated.length).toBeGreaterThan(90);
  const areas = (name: string) =>
    new Set(gated.filter(({ feature }) => feature.name === name).map(({ area }) => area));
  expect(areas('swarms')).toEqual(
    new Set(['Swarms', 'Swarm runs', 'Swarm insights', 'Swarms (later names)']),
  );
  expect(areas('user-testing')).toEqual(new Set(['Studies', 'Studies (deprecated)']));
});

describe.each(gated)('$id without the feature', (operation) => {
  test('does what its gate says, and leaves everything as it was unless it is always allowed', async () => {
    await switched(operation, true);
    const made = await makeParameters(service, parametersOf(operation));
    const parameters = { ...made, ...(await arrange(service, operation, made)) };
    await switched(operation, false);
    const database = await service.database.connect();
    const before = await snapshotOf(database);
    const answer = await call(operation, parameters);
    const after = await snapshotOf(database);
    await database.end();
    const { off, name } = operation.feature;
    const refused = off === 'refuse' ? 403 : off === 'not found' ? 404 : undefined;
    expect(answer.status).toBe(refused ?? operation.status);
    expect(answer.text).toContain(refused === undefined ? '' : `features enable ${name}`);
    expect(typeof off === 'object' ? answer.body : 'whatever').toEqual(
      typeof off === 'object' ? off.answer : 'whatever',
    );
    expect(off === 'allow' ? 'changed' : after).toEqual(off === 'allow' ? 'changed' : before);
  });
});
