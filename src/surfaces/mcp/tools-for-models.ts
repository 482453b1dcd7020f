import { Refusal } from '../../contract/errors.ts';
import type { OperationTools, Services } from '../../domain/context/context.ts';
import type { Caller } from '../../domain/invoke.ts';
import { version } from '../../platform/version.ts';
import { inProcessClient } from '../in-process/client.ts';
import type { Agent } from './agent.ts';
import { failedResult, resultOf } from './answers.ts';
import { callOperation } from './operation-call.ts';
import { reachesOut, wordsOf } from './operation-facts.ts';
import { inputSchemaOf } from './operation-schema.ts';

/** The operation tools of the MCP server, for the agent inside the service. */
export function operationTools(
  { config, log }: Pick<Services, 'config' | 'log'>,
  { entrance, credential, requestInfo }: Caller,
): OperationTools {
  const { origin, requestId } = requestInfo;
  const agent: Agent = {
    client: inProcessClient({ entrance, credential, origin, requestId: () => requestId }),
    selection: { toolsets: undefined, readOnly: false },
    version,
    bodyLimit: config.bodyLimit,
    requestId,
    failed: (error) => {
      if (!(error instanceof Refusal))
        log.error('Agent tool call failed', { requestId, error: String(error) });
    },
  };
  return {
    describe: (operation) => ({
      description: wordsOf(operation),
      inputSchema: { ...inputSchemaOf(operation) },
    }),
    call: async (operation, args, { signal, most }) => {
      const calling = {
        agent,
        signal,
        abandoned: () => false,
        reporting: false,
        made: [],
        progress: () => {},
      };
      try {
        const answer = await callOperation(operation, args, calling);
        return { text: textOf(resultOf(answer, most)), isError: false, value: answer.data?.value };
      } catch (error) {
        return { text: textOf(failedResult(agent, error, reachesOut(operation))), isError: true };
      }
    },
  };
}

/** The first text of the answer. Links are left out, since a model cannot follow them. */
function textOf({ content: [first] }: ReturnType<typeof resultOf>): string {
  return first?.type === 'text' ? first.text : '';
}
