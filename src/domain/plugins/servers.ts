import { z } from 'zod';
import { Refusal } from '../../contract/errors.ts';
import { writeLike } from '../../contract/messages.ts';
import { createProjectServer } from '../../contract/servers.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import type { Services } from '../context/context.ts';
import { checkAddress, checkTransport } from '../servers/rules.ts';
import { firstIssue } from './json-file.ts';

/** Servers by key, as a file of a bundle declares them. */
export const ServerEntries = z.record(
  z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'A key is up to 64 letters, digits, dots and hyphens'),
  z.strictObject({
    // Written for other tools; Drydock derives it from the other fields.
    type: z.enum(['stdio', 'http', 'streamable-http', 'sse']).optional(),
    url: z.unknown().optional(),
    headers: z.unknown().optional(),
    command: z.unknown().optional(),
    args: z.unknown().optional(),
    env: z.unknown().optional(),
  }),
  writeLike('{"ships": {"url": "https://ships.example.com/mcp"}}'),
);
type Entry = z.output<typeof ServerEntries>[string];

/** A server of a bundle, validated like one saved over the API. */
export interface DeclaredServer {
  key: string;
  name: string;
  url: string | undefined;
  command: string | undefined;
  args: string[] | undefined;
  headers: Record<string, string> | undefined;
  env: Record<string, string> | undefined;
}

export async function declaredServer(
  services: Pick<Services, 'trust' | 'db'>,
  { file, plugin, key }: { file: string; plugin: string; key: string },
  { type, ...fields }: Entry,
): Promise<DeclaredServer> {
  const wrong = (why: string) => new OperatorProblem(`${file}: the server ${key}: ${why}`);
  if (fields.url === undefined && fields.command === undefined)
    throw wrong('Give it a `url`, or a `command` to run');
  if (type !== undefined && (type === 'stdio') !== (fields.command !== undefined))
    throw wrong(`type: ${type} does not go with a \`${fields.command === undefined ? 'url' : 'command'}\``);
  const parsed = createProjectServer.body.safeParse({ name: `${plugin}:${key}`, ...fields });
  if (!parsed.success) throw wrong(firstIssue(parsed.error));
  const { name, url, command, args, headers, env } = parsed.data;
  try {
    await checkTransport(services, command === undefined ? 'http' : 'stdio');
    await checkAddress(services, url ?? null);
  } catch (error) {
    throw error instanceof Refusal ? wrong(error.message) : error;
  }
  return { key, name, url, command, args, headers, env };
}
