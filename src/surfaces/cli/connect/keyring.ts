import { spawn } from 'node:child_process';

/** The command line of the desktop keyring. Without it, keys are stored in the profiles file. */
const program = 'secret-tool';
/** Timeout of the keyring: a locked one prompts the user, which in CI never ends. */
const timeoutMs = 5_000;

/** Stores the key, and verifies that the keyring returns it. */
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

/** The output; undefined on failure. The key is sent through a pipe, because arguments are visible to other users. */
function run(args: string[], input = ''): Promise<string | undefined> {
  if (process.platform !== 'linux' || !process.env['DBUS_SESSION_BUS_ADDRESS'])
    return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], timeout: timeoutMs });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? printed : undefined));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
