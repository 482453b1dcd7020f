import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const program = '/usr/sbin/pgbouncer';

export interface PgBouncer {
  url: string;
  end(): Promise<void>;
}

/** The real one, before a server on loopback. Debian's is 1.18, which knows no prepared statements. */
export async function startPgBouncer(
  target: { port: number; database: string; user: string },
  { mode = 'transaction', servers = 5 } = {},
): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const settings = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${target.user}" ""\n`);
  await writeFile(
    settings,
    `[databases]
${target.database} = host=127.0.0.1 port=${target.port} dbname=${target.database} user=${target.user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = ${servers}
max_client_conn = 500
server_login_retry = 0.2
server_check_delay = 0
`,
  );
  const asRoot = process.getuid?.() === 0;
  const child = spawn(program, [...(asRoot ? ['-u', 'nobody'] : []), settings], { stdio: 'ignore' });
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  for (const until = Date.now() + 20_000; !(await listens(port)); await delay(20))
    if (Date.now() > until) {
      await end();
      throw new Error('PgBouncer does not listen');
    }
  return { url: `postgres://${target.user}@127.0.0.1:${port}/${target.database}`, end };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.end(() => resolve(true))).once('error', () => resolve(false));
  });
}
