import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverSecrets } from '../src/domain/secrets/deliver.ts';
import { brokered, personal, plain, type SecretsWorld, startSecretsWorld } from './support/secrets.ts';

let world: SecretsWorld;

beforeAll(async () => {
  world = await startSecretsWorld();
});
afterAll(() => world?.end());

const save = async (secret: object, key = world.service.key): Promise<string> =>
  (await world.service.post(world.path, secret, { key })).body.id;
const delivery = (userId: string, secretIds: string[]) =>
  deliverSecrets(world.service.running.services, { projectId: world.project, userId, secretIds });
const delivered = async (...run: Parameters<typeof delivery>) => (await delivery(...run)).secrets;
const deliveredAt = async (id: string): Promise<number | null> =>
  (await world.service.get(`${world.path}/${id}`)).body.lastDeliveredAt;

test('a run receives the secrets it was granted and no others', async () => {
  const [granted, bound, other] = [
    await save(plain('GRANTED')),
    await save(brokered('BOUND')),
    await save(plain('OTHER')),
  ];
  expect(await delivered(world.member.userId, [granted, bound, 'sct_gone'])).toEqual([
    { name: 'GRANTED', value: plain('GRANTED').value, personal: false },
    {
      name: 'BOUND',
      value: brokered('BOUND').value,
      personal: false,
      broker: { hosts: ['api.example.com'], header: 'X-Api-Key', template: 'Bearer {}' },
    },
  ]);
  expect(await deliveredAt(granted)).toBeTypeOf('number');
  expect(await deliveredAt(other)).toBeNull();
  expect(await delivered(world.me, [])).toEqual([]);
  expect(await delivery(world.me, [granted, bound])).toMatchObject({ incomplete: false });
  expect(await delivery(world.me, [granted, 'sct_gone'])).toMatchObject({ incomplete: true });
});

test('a personal secret reaches only what its owner started', async () => {
  const own = await save(personal('PERSONAL'), world.member.key);
  expect(await delivered(world.member.userId, [own])).toMatchObject([{ name: 'PERSONAL' }]);
  expect(await delivered(world.me, [own])).toEqual([]);
  expect(await delivered(world.other.userId, [own])).toEqual([]);
});

test('and comes after a shared one of the same name', async () => {
  const shared = await save(plain('SAME'));
  const own = await save({ ...personal('SAME'), value: 'mine' }, world.member.key);
  expect(await delivered(world.member.userId, [own, shared])).toEqual([
    { name: 'SAME', value: plain('SAME').value, personal: false },
    { name: 'SAME', value: 'mine', personal: true },
  ]);
  expect(await delivered(world.me, [own, shared])).toEqual([
    { name: 'SAME', value: plain('SAME').value, personal: false },
  ]);
});

test('a rotation reaches new runs', async () => {
  const id = await save(plain('ROTATED'));
  await world.service.patch(`${world.path}/${id}`, { value: 'new' });
  expect(await delivered(world.me, [id])).toEqual([{ name: 'ROTATED', value: 'new', personal: false }]);
});
