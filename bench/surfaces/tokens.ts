import { encode } from 'gpt-tokenizer';
import { catalogOf } from '../../src/surfaces/mcp/catalog.ts';
import { selectionOf, toolsetNames } from '../../src/surfaces/mcp/selection.ts';

interface Cost {
  address: string;
  tools: number;
  tokens: number;
}

function costOf(toolsets: string | undefined, readOnly: boolean): Cost {
  const { list } = catalogOf(selectionOf(toolsets, readOnly));
  const shown = list.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return {
    address: `/mcp${toolsets === undefined ? '' : `/x/${toolsets}`}${readOnly ? '/readonly' : ''}`,
    tools: list.length,
    tokens: encode(JSON.stringify(shown)).length,
  };
}

/** Counts the tokens of each tool list: names, descriptions and schemas, as hosts pass them to a model. */
export function tokenCosts(): Cost[] {
  return [
    costOf(undefined, false),
    costOf(undefined, true),
    costOf('all', true),
    ...toolsetNames.map((name) => costOf(name, false)),
  ];
}
