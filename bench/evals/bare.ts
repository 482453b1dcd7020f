import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** The baseline: only the calls of a trial (two of the model, one of the tool), at the same concurrency. */
const [url = '', server = '', trials = '500', concurrency = '20'] = process.argv.slice(2);
const client = new Client({ name: 'bare', version: '1' });
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: [server, 'stdio'], stderr: 'ignore' }),
);
const { tools } = await client.listTools();
const offered = tools.map(({ name, description, inputSchema }) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
}));

interface Answer {
  choices: [
    {
      message: {
        role: string;
        content: string | null;
        tool_calls?: { id: string; function: { name: string; arguments: string } }[];
      };
    },
  ];
}

async function ask(messages: unknown[]): Promise<Answer> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
    body: JSON.stringify({ model: 'scripted', messages, tools: offered }),
  });
  return (await response.json()) as Answer;
}

async function trial(): Promise<void> {
  const messages: unknown[] = [{ role: 'user', content: 'Say ahoy to the server.' }];
  const [{ message }] = (await ask(messages)).choices;
  const call = message.tool_calls?.[0];
  if (!call) throw new Error('the model called nothing');
  const result = await client.callTool({
    name: call.function.name,
    arguments: JSON.parse(call.function.arguments) as Record<string, unknown>,
  });
  messages.push(message, { role: 'tool', tool_call_id: call.id, content: JSON.stringify(result.content) });
  await ask(messages);
}

let left = Number(trials);
const before = process.cpuUsage();
const began = performance.now();
await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    while (left-- > 0) await trial();
  }),
);
const wall = performance.now() - began;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }));
await client.close();
process.exit(0);
