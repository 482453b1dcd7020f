import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import { isSafe, type Operation, streamedAnswer } from '../src/contract/operation.ts';
import { type Called, connectAgent } from './support/agents.ts';
import { arrange, exampleFor, fillPath, makeParameters, parametersOf } from './support/path-parameters.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let stranger: { key: string };

beforeAll(async () => {
  service = await startTestService({ worker: false });
  stranger = await service.stranger();
});
afterAll(() => dispose(service));

describe.each(operationList)('$id', (operation) => {
  test('is refused and served to agents as over HTTP', async () => {
    const parameters = await arrange(
      service,
      operation,
      await makeParameters(service, parametersOf(operation)),
    );
    const example = await exampleFor(service, operation, parameters);
    const args = {
      ...Object.fromEntries(operation.params.map((name) => [name, parameters[name]])),
      ...(operation.body && { body: example }),
      ...(operation.upload && { upload: uploadOf(operation, example) }),
      ...(streamedAnswer(operation.response)?.kind === 'events' && { maxSeconds: 1 }),
    };
    const generic = isSafe(operation) ? 'read_operation' : 'write_operation';
    for (const refused of await asStranger(operation, parameters, example, generic, args)) {
      expect(refused.called.isError).toBe(true);
      expect(refused.called.ours.startsWith(refused.code)).toBe(true);
      expect(refused.called.data?.message ?? refused.called.ours).toContain(refused.message);
    }
    const agent = await connectAgent(service);
    const served = await agent.call(generic, { operation: operation.id, arguments: args });
    expect(served.isError ? served.text : '').toBe('');
    expect(served.data).toBeDefined();
  });
});

/** What a stranger is refused with over HTTP, and how that looks through a tool of its own and the common one. */
async function asStranger(
  operation: Operation,
  parameters: Record<string, string>,
  example: unknown,
  generic: string,
  args: object,
): Promise<{ called: Called; code: string; message: string }[]> {
  if (operation.access === 'public') return [];
  const body = operation.upload ? 'x' : operation.body ? example : undefined;
  const answer = await service.request(operation.method, fillPath(operation.path, parameters), {
    key: stranger.key,
    ...(body !== undefined && { body }),
    ...(operation.upload && { headers: { 'content-type': operation.upload.mediaType } }),
  });
  if (answer.status < 400) return [];
  const all = await connectAgent(service, { path: '/mcp/x/all', key: stranger.key });
  const common = await connectAgent(service, { key: stranger.key, era: '2025-11-25' });
  const { code, message } = answer.body;
  return [
    { called: await all.call(operation.id, args), code, message },
    { called: await common.call(generic, { operation: operation.id, arguments: args }), code, message },
  ];
}

function uploadOf({ upload }: Operation, example: unknown): object {
  return upload?.mediaType === 'application/yaml'
    ? { text: JSON.stringify(example), contentType: 'application/json' }
    : { base64: Buffer.from('bytes').toString('base64'), contentType: 'text/plain' };
}
