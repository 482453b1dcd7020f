import { setTimeout as delay } from 'node:timers/promises';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { shipNamed, ships } from './ships.ts';

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const ShipFields = z.object({
  name: z.string(),
  kind: z.string(),
  lengthMeters: z.number(),
  hullPlates: z.number().int(),
});

/**
 * A small harbour for trying out Drydock: tools that read, page, wait and fail, a prompt, resources and a template.
 * Calls share no state, so every transport and protocol revision behaves alike.
 */
export function createDemoServer(version: string): McpServer {
  const server = new McpServer(
    { name: 'drydock-demo', title: 'Drydock demo harbour', version },
    { instructions: 'List the ships, then inspect one by its name.' },
  );
  addTools(server);
  addTexts(server);
  return server;
}

function addTools(server: McpServer): void {
  server.registerTool(
    'add_numbers',
    {
      title: 'Add numbers',
      description: 'Add a list of numbers and return their sum.',
      inputSchema: z.object({ numbers: z.array(z.number()).min(1).max(100).describe('What to add.') }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: reads,
    },
    ({ numbers }) => structured({ sum: numbers.reduce((sum, number) => sum + number, 0) }),
  );
  server.registerTool(
    'list_ships',
    {
      title: 'List ships',
      description:
        'List the ships in the harbour, a page at a time. Pass nextOffset of one page as offset of the next.',
      inputSchema: z.object({
        offset: z.number().int().min(0).default(0).describe('How many ships to pass over.'),
        limit: z.number().int().min(1).max(50).default(3).describe('How many ships to return at most.'),
      }),
      outputSchema: z.object({ ships: z.array(ShipFields), nextOffset: z.number().int().optional() }),
      annotations: reads,
    },
    ({ offset, limit }) => {
      const page = ships.slice(offset, offset + limit).map(({ rusty: _rusty, ...ship }) => ship);
      const next = offset + limit;
      return structured(next < ships.length ? { ships: page, nextOffset: next } : { ships: page });
    },
  );
  server.registerTool(
    'inspect_hull',
    {
      title: 'Inspect a hull',
      description: 'Report the rusty hull plates of one ship. Fails for a ship that is not in the harbour.',
      inputSchema: z.object({
        ship: z.string().min(1).describe('Name of the ship, as list_ships gives it.'),
      }),
      outputSchema: z.object({
        ship: z.string(),
        rustyPlates: z.array(z.number().int()),
        seaworthy: z.boolean(),
      }),
      annotations: reads,
    },
    ({ ship: name }) => {
      const ship = shipNamed(name);
      if (!ship)
        return failure(
          `No ship is called ${JSON.stringify(name)}. Ships: ${ships.map((known) => known.name).join(', ')}`,
        );
      return structured({ ship: ship.name, rustyPlates: ship.rusty, seaworthy: ship.rusty.length < 3 });
    },
  );
  server.registerTool(
    'flood_dock',
    {
      title: 'Flood the dock',
      description:
        'Take some seconds, to see how a caller handles a slow tool. Stops when the caller gives up.',
      inputSchema: z.object({ seconds: z.number().min(0).max(60).default(3).describe('How long to take.') }),
      annotations: { ...reads, idempotentHint: true },
    },
    async ({ seconds }, { mcpReq }) => {
      await delay(seconds * 1000, undefined, { signal: mcpReq.signal });
      return { content: [{ type: 'text', text: `The dock is flooded after ${seconds} s.` }] };
    },
  );
  server.registerTool(
    'launch_ship',
    {
      title: 'Launch a ship',
      description: 'Always fails, to see how a caller handles a tool error.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    () => failure('The harbour master has not given permission to launch.'),
  );
}

function addTexts(server: McpServer): void {
  server.registerPrompt(
    'inspection_report',
    {
      title: 'Inspection report',
      description: 'Ask for a report about one ship.',
      argsSchema: z.object({ ship: z.string().describe('Name of the ship.') }),
    },
    ({ ship }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: `Inspect the hull of ${ship} and say whether it may sail.` },
        },
      ],
    }),
  );
  server.registerResource(
    'rules',
    'harbour://rules',
    { title: 'Rules of the harbour', mimeType: 'text/plain' },
    ({ href }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'text/plain',
          text: 'A ship with three or more rusty plates stays in the dock.',
        },
      ],
    }),
  );
  server.registerResource(
    'ship',
    new ResourceTemplate('harbour://ships/{name}', { list: undefined }),
    { title: 'A ship', mimeType: 'application/json' },
    ({ href }, { name }) => {
      const ship = shipNamed(String(name));
      if (!ship) throw new Error(`No ship is called ${String(name)}`);
      return { contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(ship) }] };
    },
  );
}

function structured<T extends Record<string, unknown>>(value: T) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(value) }], structuredContent: value };
}

function failure(text: string) {
  return { isError: true, content: [{ type: 'text' as const, text }] };
}
