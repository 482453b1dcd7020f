import { createHash } from 'node:crypto';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { answerLegacy, initializeResult, methodNotFound, sendError, sendResult } from './legacy.ts';
import { answerWeb, asTarget, listen, readRpc, type Target } from './listen.ts';

/** Implements SEP-2640 in both eras with the SDK. */
export async function startSkillServer(
  files: Record<string, string | Uint8Array>,
): Promise<{ url: string } & Target> {
  const catalog = await SkillsExtension.load(memorySkillFiles(files), { prefix: 'acme', pageSize: 1 });
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'skilled', version: '1.0.0' });
    catalog.attach(server);
    return server;
  });
  const { port, stop } = await listen(async (request, response) => {
    const { body } = await readRpc(request);
    await answerWeb(handler.fetch, request, response, body);
  });
  return asTarget({ url: `http://127.0.0.1:${port}/mcp` }, async () => {
    await handler.close();
    await stop();
  });
}

/** The behavior of a hand-written skill server; a test replaces parts of it. */
interface CraftedSkills {
  advertises: unknown;
  entries: unknown[];
  /** The answer of `skills/get` for a URI; default: the listed entry. Undefined is an error. */
  entry: (uri: string) => unknown;
  /** The answer of `resources/read` for a URI. Undefined is an error. */
  read: (uri: string) => object | undefined;
  error: { code: number; message: string };
}

export interface Crafted extends Target {
  url: string;
  now: CraftedSkills;
  /** Requested methods, with their URI. */
  asked: string[];
}

export async function startCraftedSkills(): Promise<Crafted> {
  const now: CraftedSkills = {
    advertises: {},
    entries: [],
    entry: (uri) => now.entries.find((entry) => (entry as { uri?: unknown } | null)?.uri === uri),
    read: () => undefined,
    error: { code: -32002, message: 'No such thing' },
  };
  const asked: string[] = [];
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    const exchange = { request, response, rpc, path: request.url ?? '/', origin: '' };
    const uri = rpc?.params?.uri ?? '';
    if (rpc?.id !== undefined) asked.push(`${rpc.method} ${uri}`.trim());
    const answer = (result: object | undefined): void =>
      result ? sendResult(exchange, result) : sendError(exchange, now.error);
    switch (rpc?.method) {
      case 'initialize': {
        const extensions = { 'io.modelcontextprotocol/skills': now.advertises };
        return sendResult(exchange, initializeResult('2025-11-25', { resources: {}, extensions }));
      }
      case 'skills/list':
        return sendResult(exchange, { skills: now.entries, ttlMs: 60_000, cacheScope: 'private' });
      case 'skills/get': {
        const skill = now.entry(uri);
        return answer(skill === undefined ? undefined : { skill });
      }
      case 'resources/read':
        return answer(now.read(uri));
      case 'tools/list':
        return sendError(exchange, methodNotFound);
      default:
        return answerLegacy(exchange);
    }
  });
  return asTarget({ url: `http://127.0.0.1:${port}/mcp`, now, asked }, stop);
}

/** The entry of a file with this content, as a server lists it. */
export function listedAs(
  uri: string,
  content: string | Buffer,
): { uri: string; digest: string; size: number } {
  const bytes = Buffer.from(content);
  return { uri, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length };
}
