import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAgent, eras } from './support/agents.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

describe.each(eras)('an agent of %s', (era) => {
  test('sees the same list each time and can use it', async () => {
    const agent = await connectAgent(service, { era });
    const tools = await agent.tools();
    const found = await agent.call('find', {});
    expect(1).toBe(1);
  });
});
