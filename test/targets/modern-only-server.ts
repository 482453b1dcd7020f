import { acceptedContent, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';

const Approval = z.object({ approve: z.boolean() });

/** `onRegion` hears what arrived in `Mcp-Param-Region` with each call of `in_region`. */
export function createModernServer(headers?: Headers, onRegion?: (header: string | null) => void): McpServer {
  const server = new McpServer({ name: 'modern-only', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Repeat a text.', inputSchema: z.object({ text: z.string() }) },
    ({ text }) => say(text),
  );
  server.registerTool(
    'in_region',
    {
      description: 'Name the region; the client also sends it as a header.',
      inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    },
    ({ region }) => {
      onRegion?.(headers?.get('mcp-param-region') ?? null);
      return say(region);
    },
  );
  server.registerTool(
    'deploy',
    { description: 'Deploy, once a person has approved.', inputSchema: z.object({ what: z.string() }) },
    ({ what }, { mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, 'approval', Approval);
      if (answer) return say(answer.approve ? `deployed ${what}` : `kept ${what}`);
      const approval = inputRequired.elicit({ message: `Deploy ${what}?`, requestedSchema: Approval });
      return inputRequired({ inputRequests: { approval } });
    },
  );
  server.registerPrompt(
    'greet',
    { description: 'Greet somebody.', argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }] }),
  );
  server.registerResource('rules', 'modern://rules', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'No initialize here.' }],
  }));
  server.registerResource(
    'note',
    new ResourceTemplate('modern://notes/{id}', { list: undefined }),
    { mimeType: 'text/plain' },
    ({ href }, { id }) => ({ contents: [{ uri: href, mimeType: 'text/plain', text: `Note ${String(id)}` }] }),
  );
  return server;
}

function say(text: string) {
  return { content: [{ type: 'text' as const, text }] };
}
