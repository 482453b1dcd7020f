import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { isSafe, type Operation, streamedAnswer } from '../../src/contract/operation.ts';
import { connected } from '../../src/surfaces/cli/connect/connect.ts';
import type { Host } from '../../src/surfaces/cli/host.ts';
import { operationManifest } from '../../src/surfaces/cli/operations/manifest.ts';
import { runCli } from '../../src/surfaces/cli/run.ts';
import { createClient, DrydockError } from '../../src/surfaces/client/index.ts';
import { connectAgent } from './agents.ts';
import type { Answer, TestService } from './service.ts';

/** A request to an operation, independent of the surface. */
export interface Asked {
  params: Record<string, string>;
  body?: unknown;
  bytes?: Buffer;
  key: string;
}

/** The outcome: JSON, the text of a file or the first event; or the refusal. */
export type Came = { answer: unknown } | { refusal: { code: string; message: string } };

export type Surface = (service: TestService, operation: Operation, asked: Asked) => Promise<Came>;

/** A key that does not exist. */
export const nobodysKey = 'sk_nobody_nobody_nobody_nobody';

/** The outcome of an answer over HTTP. */
export function cameOf(operation: Operation, { status, body, text }: Answer): Came {
  const answered = status < 300 || operation.otherStatuses?.[status] !== undefined;
  return answered ? { answer: body ?? text } : { refusal: { code: body.code, message: body.message } };
}

/** The surfaces besides HTTP. */
export const otherSurfaces: Record<string, Surface> = {
  client: async (service, operation, { params, body, bytes, key }) => {
    const client = createClient({ baseUrl: service.running.baseUrl, apiKey: key });
    const call = (client as unknown as Record<string, (input: object) => unknown>)[operation.id];
    const own = Object.fromEntries(operation.params.map((name) => [name, params[name]]));
    const upload = bytes && { contentType: 'text/html', bytes: new Uint8Array(bytes) };
    try {
      const answer = call?.({ ...own, ...(body !== undefined && { body }), ...(upload && { upload }) });
      return { answer: await readAnswer(operation, answer) };
    } catch (error) {
      if (!(error instanceof DrydockError)) throw error;
      return { refusal: { code: error.code, message: error.message } };
    }
  },

  'command line': async (service, operation, { params, body, bytes, key }) => {
    const entry = operationManifest.commands.find(({ id }) => id === operation.id);
    if (!entry) throw new Error(`${operation.id} is no command`);
    const folder = await mkdtemp(join(tmpdir(), 'drydock-surfaces-'));
    const file = join(folder, 'upload');
    if (bytes) await writeFile(file, bytes);
    const given = (name: string): string => params[name] ?? '';
    const words = [
      entry.group,
      entry.verb,
      ...entry.params.map(({ param }) => given(param)),
      ...(entry.project?.place === 'path' ? ['--project', given('projectId')] : []),
      ...(entry.organization?.place === 'path' ? ['--organization', given('organizationId')] : []),
      ...(body === undefined ? [] : ['--data', JSON.stringify(body)]),
      ...(bytes ? ['--file', file, '--content-type', 'text/html'] : []),
      ...(entry.answers === 'file' ? [] : ['--json']),
    ];
    try {
      return printedCame(entry.answers, await typed(words, service, key));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },

  MCP: async (service, operation, asked) => {
    if (asked.key !== nobodysKey) return agentCame(service, operation, asked);
    // An unknown key is refused before it reaches a tool.
    const door = await fetch(`${service.origin}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${asked.key}` },
    });
    const { code, message } = (await door.json()) as { code: string; message: string };
    return { refusal: { code, message } };
  },
};

/** The outcome for an agent, in the format of the other surfaces. */
async function agentCame(
  service: TestService,
  operation: Operation,
  { params, body, bytes, key }: Asked,
): Promise<Came> {
  const agent = await connectAgent(service, { key });
  const args = {
    ...Object.fromEntries(operation.params.map((name) => [name, params[name]])),
    ...(body !== undefined && { body }),
    ...(bytes && { upload: { base64: bytes.toString('base64'), contentType: 'text/html' } }),
  };
  const tool = isSafe(operation) ? 'read_operation' : 'write_operation';
  const { isError, data, ours } = await agent.call(tool, {
    operation: operation.id,
    arguments: args,
    answerSize: 100_000,
  });
  if (isError) {
    const [, code = '', message] = /^(\w+)(?:: (.*))?/.exec(ours) ?? [];
    return { refusal: { code, message: message ?? data.message } };
  }
  // New IDs of a write are in the part of the answer that is never truncated.
  if (!isSafe(operation)) for (const id of newIdsIn(data, args)) expect(ours).toContain(id);
  const kind = streamedAnswer(operation.response)?.kind;
  // The list begins with the last event.
  if (kind === 'events') return { answer: data.at(-1) };
  return { answer: kind === 'file' ? parsed(data.text) : data };
}

function newIdsIn({ id, runId, suiteId, suite }: Record<string, unknown>, args: object): unknown[] {
  const ids = [id, runId, suiteId, (suite as { id?: unknown } | undefined)?.id];
  return ids.filter(
    (one) =>
      typeof one === 'string' && /^[a-z]{2,8}_[0-9a-z]{26}$/.test(one) && !JSON.stringify(args).includes(one),
  );
}

async function readAnswer(operation: Operation, answer: unknown): Promise<unknown> {
  const kind = streamedAnswer(operation.response)?.kind;
  if (kind === 'events') for await (const event of answer as AsyncIterable<unknown>) return event;
  const read = await answer;
  return kind === 'file' ? parsed(await (read as Response).text()) : read;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface Printed {
  stdout: string;
  stderr: string;
  code: unknown;
}

/** Runs a command in this process and returns what it prints. */
export async function typed(words: string[], service: { origin: string }, key: string): Promise<Printed> {
  const printed: Printed = { stdout: '', stderr: '', code: undefined };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    }),
  );
  vi.stubEnv('DRYDOCK_API_KEY', key);
  const before = process.exitCode;
  process.exitCode = undefined;
  const nowhere = (): Promise<never> => Promise.reject(new Error('opened here'));
  const host: Pick<Host, 'connect'> = {
    connect: (place, work) => connected({ ...place, service: service.origin }, nowhere, work),
  };
  try {
    await runCli(['node', 'drydock', ...words], host as Host);
    return { ...printed, code: process.exitCode };
  } finally {
    process.exitCode = before;
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

function printedCame(answers: 'json' | 'file' | 'events', { stdout, stderr, code }: Printed): Came {
  if (code === undefined)
    return { answer: parsed(answers === 'events' ? (stdout.split('\n')[0] ?? '') : stdout) };
  const said = parsed(stderr.trim());
  if (typeof said === 'object' && said !== null) {
    const { code: word, message } = said as { code: string; message: string };
    return { refusal: { code: word, message } };
  }
  const [, message = stderr, word = ''] = /^drydock: (.*) \((\w+)\)\n/s.exec(stderr) ?? [];
  return { refusal: { code: word, message } };
}
