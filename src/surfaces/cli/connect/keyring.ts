import { spawn } from 'node:child_process';

/** The keyring of a desktop, through its own command line; a machine without one keeps keys in the file. */
const program = 'secret-tool';
/** A keyring that is locked asks somebody; in CI nobody answers. */
const patience = 5_000;

/** Whether the keyring has it now: what it cannot give back is not kept. */
export async function keepKey(profile: string, key: string): Promise<boolean> {
  const stored = await run(['store', `--label=Drydock ${profile}`, ...attributes(profile)], key);
  return stored !== undefined && (await keptKey(profile)) === key;
}

export async function keptKey(profile: string): Promise<string | undefined> {
  return (await run(['lookup', ...attributes(profile)])) || undefined;
}

export async function forgetKey(profile: string): Promise<void> {
  await run(['clear', ...attributes(profile)]);
}

function attributes(profile: string): string[] {
  return ['service', 'drydock', 'profile', profile];
}

/** What it prints, or nothing when there is no keyring or it refuses. The key goes in by a pipe: arguments are seen. */
function run(args: string[], input = ''): Promise<string | undefined> {
  if (process.platform !== 'linux' || !process.env['DBUS_SESSION_BUS_ADDRESS'])
    return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], timeout: patience });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? printed : undefined));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
