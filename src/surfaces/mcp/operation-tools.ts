import type { Tool } from '@modelcontextprotocol/server';
import { operationList } from '../../contract/index.ts';
import { isSafe, type Operation } from '../../contract/operation.ts';
import { annotationsOf, reachesOut, wordsOf } from './operation-facts.ts';
import { callByName } from './operation-names.ts';
import { inputSchemaOf } from './operation-schema.ts';
import { isSelected, type Selection } from './selection.ts';
import type { AgentTool } from './tool.ts';

/** One tool per operation of the toolsets, in the order of the contract. */
export function operationTools({ toolsets = [], readOnly }: Selection): AgentTool[] {
  return operationList
    .filter((operation) => isSelected(operation, toolsets ?? []) && (!readOnly || isSafe(operation)))
    .map((operation) => ({
      definition: definitionOf(operation),
      reachesOut: () => reachesOut(operation),
      run: (args, calling) => callByName(operation, args, calling),
    }));
}

function definitionOf(operation: Operation): Tool {
  return {
    name: operation.id,
    description: wordsOf(operation),
    inputSchema: inputSchemaOf(operation) as Tool['inputSchema'],
    annotations: annotationsOf(operation),
    ...(operation.spends && { _meta: { 'drydock/spends': true } }),
  };
}
