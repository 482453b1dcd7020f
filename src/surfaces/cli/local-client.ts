import { operationList } from '../../contract/index.ts';
import { paramNames, type StreamEvent, streamedAnswer } from '../../contract/operation.ts';
import { configuredOrigin, type Services } from '../../domain/context.ts';
import { Entrance } from '../../domain/invoke.ts';
import { newId } from '../../platform/ids.ts';
import type { CallOptions, Client } from '../client/index.ts';

/** The client of the installation here, for whoever may read its database: operations are entered as the account. */
export function localClient(services: Services, account: { organizationId: string; userId: string }): Client {
  const entrance = new Entrance({ services, charge: () => {}, used: () => {} });
  const calls = operationList.map((operation) => {
    const names = paramNames(operation.path);
    const call = async (input: Record<string, unknown> = {}, options: CallOptions = {}): Promise<unknown> => {
      const given = Object.entries(input);
      const params = Object.fromEntries(given.filter(([name]) => names.includes(name))) as Record<
        string,
        string
      >;
      const query = Object.fromEntries(
        given
          .filter(([name, value]) => !names.includes(name) && name !== 'body' && value !== undefined)
          .map(([name, value]) => [name, String(value)]),
      );
      const signal = options.signal ?? new AbortController().signal;
      const occasion = {
        requestId: newId('req'),
        callerGone: () => signal,
        origin: () => configuredOrigin(services.config),
        afterwards: (work: () => void) => work(),
      };
      const entered = await entrance.enter(operation, { kind: 'account', ...account }, params, occasion);
      return entrance.act(entered, {
        query,
        body: input['body'] as Record<string, unknown> | undefined,
        idempotencyKey: options.idempotencyKey,
        headers: options.headers,
      });
    };
    const events = async function* (input?: Record<string, unknown>, options?: CallOptions) {
      for await (const { data } of (await call(input, options)) as AsyncIterable<StreamEvent<unknown>>)
        yield data;
    };
    return [operation.id, streamedAnswer(operation.response)?.kind === 'events' ? events : call];
  });
  return Object.fromEntries(calls) as Client;
}
