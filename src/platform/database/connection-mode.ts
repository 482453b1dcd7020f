import pg from 'pg';

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** The database cancels a statement after this time. */
  statement: number;
  /**
   * The database closes a connection that is idle in a transaction after this time. Shorter than the statement timeout,
   * so that statements waiting for its rows succeed.
   */
  idleInTransaction: number;
  /** Requests wait this long for an unavailable database before they are refused. */
  away?: number;
  /** A write that takes longer than this triggers a check for a missing synchronous standby. */
  confirmation?: number;
}

export const defaultTimeouts: Required<Timeouts> = {
  statement: 30_000,
  idleInTransaction: 20_000,
  away: 15_000,
  confirmation: 3_000,
};

/** Settings for connecting directly or through a pooler. */
export interface ConnectionMode {
  /** A pooler may run each statement on another server process, which does not know our prepared statements. */
  pooled: boolean;
  connection: Pick<
    pg.ClientConfig,
    'statement_timeout' | 'idle_in_transaction_session_timeout' | 'query_timeout'
  >;
  /** Appended to the statement that begins a transaction. */
  afterBegin: string;
}

/** Sets the timeouts when connecting. */
export function directMode({ statement, idleInTransaction }: Timeouts): ConnectionMode {
  return {
    pooled: false,
    connection: { statement_timeout: statement, idle_in_transaction_session_timeout: idleInTransaction },
    afterBegin: '',
  };
}

/**
 * Poolers refuse timeouts when connecting, and leak session settings from one client to the next. So each transaction
 * sets them locally as it begins, and the client times out statements outside of transactions.
 */
function pooledMode({ statement, idleInTransaction }: Timeouts): ConnectionMode {
  return {
    pooled: true,
    connection: { query_timeout: 2 * statement },
    afterBegin: `; set local statement_timeout = ${statement}; set local idle_in_transaction_session_timeout = ${idleInTransaction}`,
  };
}

const unsupportedParameter = '08P01';

/**
 * Detects a pooler by connecting to each host once: it rejects the timeout parameters, or reports a process ID that
 * differs from that of the server process.
 */
export async function detectConnectionMode(
  hosts: readonly pg.ClientConfig[],
  timeouts: Timeouts,
): Promise<ConnectionMode> {
  const direct = directMode(timeouts);
  const found = await Promise.allSettled(hosts.map((host) => isPooled({ ...host, ...direct.connection })));
  const known = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (known.length === 0) throw (found[0] as PromiseRejectedResult).reason;
  return known.includes(true) ? pooledMode(timeouts) : direct;
}

async function isPooled(options: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(options);
  client.on('error', () => {});
  try {
    await client.connect();
    return await isBehindPooler(client);
  } catch (error) {
    if ((error as { code?: string }).code === unsupportedParameter) return true;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Poolers report process IDs of their own. */
export async function isBehindPooler(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  // Missing in the types of the library.
  const { processID } = client as unknown as { processID: number | null };
  return processID !== rows[0]?.pid;
}
