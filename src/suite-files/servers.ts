import { z } from 'zod';
import { serverFields } from '../contract/servers.ts';

const { command, args, env, headers } = serverFields;

/** `${NAME}` references an environment variable; `$${NAME}` is a literal. */
const reference = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A server defined in a suite file. */
const FileServer = z
  .strictObject({
    command: command.optional(),
    args: args.optional(),
    env: env.optional().describe('Values may be `${NAME}`, an environment variable where the file is run.'),
    url: z.string().min(1).max(4096).optional().describe('May contain `${NAME}` before its query.'),
    headers: headers
      .optional()
      .describe('Values may contain `${NAME}`, an environment variable where the file is run.'),
  })
  .meta({ oneOf: [{ required: ['command'] }, { required: ['url'] }] })
  .superRefine((server, context) => {
    const fail = (path: PropertyKey[], message: string): void =>
      context.addIssue({ code: 'custom', path, message });
    if ((server.command === undefined) === (server.url === undefined)) fail([], 'Give either command or url');
    const foreign = server.command === undefined ? (['args', 'env'] as const) : (['headers'] as const);
    for (const name of foreign)
      if (server[name] !== undefined)
        fail([name], `Not used by a server with ${server.command === undefined ? 'url' : 'command'}`);
    // Other values are stored in plain text; only env and headers are encrypted and redacted.
    const readable =
      'Only env, headers and the url before its query take ${NAME}: other values are not stored as secrets';
    if (hasReference(server.command ?? '')) fail(['command'], readable);
    for (const [at, text] of (server.args ?? []).entries())
      if (hasReference(text)) fail(['args', at], readable);
    if (hasReference(/[?#].*/s.exec(server.url ?? '')?.[0] ?? '')) fail(['url'], readable);
  });
export type FileServer = z.output<typeof FileServer>;

const maxServers = 20;

export const FileServers = z
  .record(z.string().trim().min(1).max(200), FileServer)
  .refine((servers) => Object.keys(servers).length <= maxServers, `At most ${maxServers} servers`)
  .meta({
    maxProperties: maxServers,
    description: 'Servers by name, saved in the project unless it has one with the name.',
  });

function hasReference(text: string): boolean {
  return [...text.matchAll(reference)].some(([, escaped]) => escaped === '');
}

/** Whether a server contains references, so that it can only be saved where the environment is. */
export function needsEnvironment(server: FileServer): boolean {
  return valuesOf(server).some(([, text]) => hasReference(text));
}

/** Replaces the references of a server. Also returns the missing variables, by the path of each value. */
export function withEnvironment(
  server: FileServer,
  variables: Readonly<Record<string, string | undefined>>,
): { server: FileServer; missing: { path: string[]; variable: string }[] } {
  const missing: { path: string[]; variable: string }[] = [];
  const filled = (path: string[], text: string): string =>
    text.replaceAll(reference, (whole, escaped: string, variable: string) => {
      if (escaped !== '') return whole.slice(1);
      const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      if (value === undefined || value === '') missing.push({ path, variable });
      return value ?? '';
    });
  const all = (name: 'env' | 'headers') =>
    server[name] && {
      [name]: Object.fromEntries(
        Object.entries(server[name]).map(([key, text]) => [key, filled([name, key], text)]),
      ),
    };
  return {
    server: {
      ...server,
      ...(server.url !== undefined && { url: filled(['url'], server.url) }),
      ...all('env'),
      ...all('headers'),
    },
    missing,
  };
}

function valuesOf({ url, env: variables = {}, headers: sent = {} }: FileServer): [string, string][] {
  return [
    ...Object.entries(variables),
    ...Object.entries(sent),
    ...(url === undefined ? [] : [['url', url] as [string, string]]),
  ];
}
