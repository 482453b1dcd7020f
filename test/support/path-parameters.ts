import { operationList } from '../../src/contract/index.ts';
import { type Operation, paramNames } from '../../src/contract/operation.ts';
import type { TestService } from './service.ts';

interface Workshop {
  service: TestService;
  visibility: 'public' | 'private';
  /** Another parameter of the same set, made when nobody asked for it before. */
  need: (name: string) => Promise<string>;
}

/** How to make the thing a path parameter names. Every parameter of the contract has its line here. */
const makers: Record<string, (workshop: Workshop) => Promise<string>> = {
  projectId: ({ service, visibility }) => idOf(service.post('/projects', { name: 'Fixture', visibility })),
  serverId: async ({ service, need }) =>
    idOf(
      service.post(`/projects/${await need('projectId')}/servers`, {
        name: 'fixture',
        url: await service.demoUrl(),
      }),
    ),
  requestId: async ({ service, need }) => {
    const request = { url: 'http://127.0.0.1:1/mcp', projectId: await need('projectId') };
    const earlier = openRequests.get(service) ?? [];
    openRequests.set(service, earlier);
    let answer = await service.post('/server-connections', request);
    if (answer.status === 409) {
      // An account may have five open; the oldest of ours is no longer looked at.
      await service.post(`/server-connections/${earlier.shift()}/cancel`);
      answer = await service.post('/server-connections', request);
    }
    const id = answer.body.connectionRequestId as string;
    earlier.push(id);
    return id;
  },
};

const openRequests = new WeakMap<TestService, string[]>();

const unreal = 'https://weather.example.com/mcp';

/** The same body about a server that is really there. */
export function realServers(body: Buffer, url: string): Buffer {
  const at = body.indexOf(unreal);
  return at === -1
    ? body
    : Buffer.concat([body.subarray(0, at), Buffer.from(url), body.subarray(at + unreal.length)]);
}

/** The example of an operation, about a server that is really there. */
export async function exampleFor(service: TestService, { example }: Operation): Promise<unknown> {
  return JSON.parse(JSON.stringify(example ?? {}).replaceAll(unreal, await service.demoUrl()));
}

/** Of all operations together. */
export const everyParameter = [...new Set(operationList.flatMap(({ path }) => paramNames(path)))];

/** Real things for these path parameters, made by the first owner and belonging together. */
export async function makeParameters(
  service: TestService,
  names: readonly string[],
  visibility: 'public' | 'private' = 'public',
): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  const need = async (name: string): Promise<string> => {
    const make = makers[name];
    if (!make)
      throw new Error(
        `No test knows how to make a {${name}}. Say how in the table of test/support/path-parameters.ts`,
      );
    return (made[name] ??= await make({ service, visibility, need }));
  };
  for (const name of names) await need(name);
  return made;
}

export function fillPath(path: string, parameters: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? name);
}

async function idOf(answer: ReturnType<TestService['request']>): Promise<string> {
  const { status, text, body } = await answer;
  if (status !== 201) throw new Error(`A fixture was not made: ${status} ${text}`);
  return body.id as string;
}
