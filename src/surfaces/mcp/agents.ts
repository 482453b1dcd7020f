import { Refusal } from '../../contract/errors.ts';
import type { Entrance } from '../../domain/invoke.ts';
import { version } from '../../platform/version.ts';
import { inProcessClient } from '../in-process/client.ts';
import type { Agent } from './agent.ts';
import type { Visit } from './routes.ts';
import type { Selection } from './selection.ts';
import { createAgentServer } from './server.ts';

interface AgentsOptions {
  entrance: Entrance;
  bodyLimit: number;
  failed: (error: unknown, requestId: string) => void;
}

/**
 * Creates the server for one message. All operations of the message use its key and count as one call of the rate
 * limit.
 */
export function agentServers({ entrance, bodyLimit, failed }: AgentsOptions) {
  return (selection: Selection, { authorization, requestId, origin, ending }: Visit) => {
    const client = inProcessClient({
      entrance: entrance.forOneCall(),
      credential: { kind: 'bearer', authorization },
      origin,
      requestId: () => requestId,
    });
    const agent: Agent = {
      client,
      selection,
      version,
      bodyLimit,
      requestId,
      ending,
      failed: (error) => {
        if (!(error instanceof Refusal)) failed(error, requestId);
      },
    };
    return createAgentServer(agent);
  };
}
