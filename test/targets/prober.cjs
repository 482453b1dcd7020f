// An MCP server over stdio that evaluates the JavaScript it is called with: what a hostile server could do, for tests of
// confinement. The value of the expression, awaited, is the text of the answer as JSON; an error is its code.
const readline = require('node:readline');

const tools = [
  { name: 'evaluate', inputSchema: { type: 'object', properties: { code: { type: 'string' } } } },
];

async function evaluate({ code }) {
  try {
    // oxlint-disable-next-line no-eval -- that is what it is for
    return (await eval(code)) ?? null;
  } catch (error) {
    return error.code ?? error.message;
  }
}

async function answer(method, params) {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'prober', version: '1' },
    };
  if (method === 'tools/list') return { tools };
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: JSON.stringify(await evaluate(params.arguments)) }] };
  return undefined;
}

readline.createInterface({ input: process.stdin }).on('line', (line) => void receive(JSON.parse(line)));

async function receive({ id, method, params }) {
  if (id === undefined) return;
  const result = await answer(method, params);
  const said = result ? { result } : { error: { code: -32601, message: 'no such method' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`);
}
