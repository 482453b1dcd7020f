import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Size {
  cases: number;
  repetitions: number;
  concurrency: number;
}

/** Runs the same work with promptfoo, the program in `PROMPTFOO`; undefined if it is not installed. */
export async function runPromptfoo(
  url: string,
  server: string,
  { cases, repetitions, concurrency }: Size,
): Promise<{ wall: number; cpu: number } | undefined> {
  const program = process.env['PROMPTFOO'];
  if (!program) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'drydock-promptfoo-'));
  const config = {
    prompts: ['{{msg}}'],
    sharing: false,
    providers: [
      {
        // Promptfoo's OpenAI provider stops after the tool result; this provider calls the model again, like a trial.
        id: 'anthropic:messages:tool',
        config: {
          apiKey: 'k',
          apiBaseUrl: url.replace(/\/v1$/, ''),
          max_tokens: 500,
          mcp: {
            enabled: true,
            server: { command: process.execPath, args: [server, 'stdio'], name: 'everything' },
          },
        },
      },
    ],
    tests: Array.from({ length: cases }, (_, nth) => ({
      vars: { msg: `Say ahoy to the server, number ${nth}.` },
      assert: [{ type: 'icontains', value: 'ahoy' }],
    })),
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const began = performance.now();
  const before = endedChildrenMs();
  const child = spawn(
    process.execPath,
    [
      program,
      'eval',
      '-c',
      join(folder, 'config.json'),
      '-j',
      String(concurrency),
      '--repeat',
      String(repetitions),
      '--no-cache',
      '--no-share',
      '--no-table',
      '--no-progress-bar',
      '-o',
      join(folder, 'out.json'),
    ],
    {
      stdio: 'ignore',
      env: {
        ...process.env,
        PROMPTFOO_CONFIG_DIR: folder,
        PROMPTFOO_CACHE_ENABLED: 'false',
        ...Object.fromEntries(
          ['TELEMETRY', 'UPDATE', 'SHARING', 'REMOTE_GENERATION'].map((name) => [
            `PROMPTFOO_DISABLE_${name}`,
            '1',
          ]),
        ),
        PROMPTFOO_SELF_HOSTED: '1',
      },
    },
  );
  await once(child, 'exit');
  const wall = performance.now() - began;
  await rm(folder, { recursive: true, force: true });
  return { wall, cpu: endedChildrenMs() - before };
}

/** Processor time of children that have ended, with theirs; nothing else ends meanwhile. */
function endedChildrenMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
