import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import type { TestService } from './service.ts';

export type Era = '2026-07-28' | '2025-11-25' | 'sdk 1';
export const eras: Era[] = ['2026-07-28', '2025-11-25', 'sdk 1'];

// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

/** The client that tests use, for every protocol revision. */
export interface AgentClient {
  tools(): Promise<Loose[]>;
  call(name: string, args?: object, options?: CallOptions): Promise<Called>;
  read(uri: string): Promise<Loose>;
  client: Loose;
}

interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
  timeout?: number;
}

export interface Called {
  text: string;
  isError: boolean;
  links: { uri: string; name: string }[];
  /** The quoted data, parsed. */
  data: Loose;
  /** The text outside of the quotation. */
  ours: string;
}

/** Connects an agent to an address of the service. The end of the test disconnects it. */
export async function connectAgent(
  service: TestService,
  { era = '2026-07-28', path = '/mcp', key = service.key }: { era?: Era; path?: string; key?: string } = {},
): Promise<AgentClient> {
  const url = new URL(`${service.origin}${path}`);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const info = { name: 'test', version: '1' };
  const client: Loose =
    era === 'sdk 1'
      ? new OldClient(info)
      : new ModernClient(
          info,
          era === '2026-07-28' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
        );
  const Transport: Loose = era === 'sdk 1' ? OldTransport : StreamableHTTPClientTransport;
  await client.connect(new Transport(url, { requestInit }));
  onTestFinished(() => client.close());
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    read: (uri) => client.readResource({ uri }),
    call: async (name, args = {}, options = {}) => {
      const params = { name, arguments: args };
      const result = await (era === 'sdk 1'
        ? client.callTool(params, undefined, options)
        : client.callTool(params, options));
      return calledFrom(result);
    },
  };
}

function calledFrom({ content, isError = false }: Loose): Called {
  const text = content
    .filter(({ type }: Loose) => type === 'text')
    .map((block: Loose) => block.text)
    .join('\n');
  const quotation = /^<<< (\S+)\n(.*)\n>>> \1$/m.exec(text);
  return {
    text,
    isError,
    links: content.filter(({ type }: Loose) => type === 'resource_link'),
    data: quotation ? JSON.parse(quotation[2] as string) : undefined,
    ours: quotation ? text.slice(0, quotation.index) : text,
  };
}
