import { fileURLToPath } from 'node:url';
import { type SavedServer, saveServer } from './live.ts';
import type { TestService } from './service.ts';

export const proberFile = fileURLToPath(new URL('../targets/prober.cjs', import.meta.url));

export interface Prober {
  server: SavedServer;
  /** The value of an expression inside the command, or the code of its error. */
  evaluate(code: string): Promise<unknown>;
}

/** A saved command that evaluates expressions. */
export async function saveProber(
  service: TestService,
  fields: { program?: string; args?: string[]; env?: Record<string, string> } = {},
): Promise<Prober> {
  const { program = proberFile, args = [], env } = fields;
  const server = await saveServer(service, {
    command: process.execPath,
    args: [program, ...args],
    ...(env && { env }),
  });
  const evaluate = async (code: string): Promise<unknown> => {
    const { status, body, text } = await server.post('tools/call', {
      toolName: 'evaluate',
      parameters: { code },
    });
    if (status !== 200) throw new Error(`The command answered ${status}: ${text}`);
    return JSON.parse(body.content[0].text);
  };
  return { server, evaluate };
}
