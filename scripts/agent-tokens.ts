/**
 * What a list of tools costs an agent before it has done anything: tokens of names, descriptions and schemas, as hosts
 * hand them to a model. npx tsx scripts/agent-tokens.ts
 */
import { encode } from 'gpt-tokenizer';
import { catalogOf } from '../src/surfaces/mcp/catalog.ts';
import { selectionOf, toolsetNames } from '../src/surfaces/mcp/selection.ts';

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

const asked: [string | undefined, boolean][] = [
  [undefined, false],
  [undefined, true],
  ['all', true],
  ...toolsetNames.map((name): [string, boolean] => [name, false]),
];
console.log('| Address | Tools | Tokens |\n|---|---:|---:|');
for (const [toolsets, readOnly] of asked) {
  const { address, tools, tokens } = costOf(toolsets, readOnly);
  console.log(`| \`${address}\` | ${tools} | ${tokens} |`);
}
