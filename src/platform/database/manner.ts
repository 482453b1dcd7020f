import pg from 'pg';

/** In milliseconds. */
export interface Timeouts {
  /** After which the database cancels a statement. */
  statement: number;
  /** After which it ends a connection whose transaction does nothing; sooner, so that who waits for its rows gets them. */
  idleInTransaction: number;
  /** For which a request waits for a database that is away; then it is refused. */
  away?: number;
  /** After which a commit that is not confirmed is looked into. */
  confirmation?: number;
}

export const usualTimeouts: Required<Timeouts> = {
  statement: 30_000,
  idleInTransaction: 20_000,
  away: 15_000,
  confirmation: 3_000,
};

/** How the database is used, whether or not a pooler stands before it. */
export interface Manner {
  /** A pooler gives the next statement to another process of the database, which knows none of our names. */
  pooled: boolean;
  connection: Pick<
    pg.ClientConfig,
    'statement_timeout' | 'idle_in_transaction_session_timeout' | 'query_timeout'
  >;
  /** Sent with what begins a transaction. */
  afterBegin: string;
}

/** The database sets them when the connection is made. */
export function directManner({ statement, idleInTransaction }: Timeouts): Manner {
  return {
    pooled: false,
    connection: { statement_timeout: statement, idle_in_transaction_session_timeout: idleInTransaction },
    afterBegin: '',
  };
}

/**
 * A pooler refuses them there, and what one of its clients sets for a session the next one finds set. So each
 * transaction sets them for itself, in the message that begins it. A statement outside of one is given up on our side.
 */
function pooledManner({ statement, idleInTransaction }: Timeouts): Manner {
  return {
    pooled: true,
    connection: { query_timeout: 2 * statement },
    afterBegin: `; set local statement_timeout = ${statement}; set local idle_in_transaction_session_timeout = ${idleInTransaction}`,
  };
}

const unsupportedParameter = '08P01';

/**
 * Finds out by connecting once to each host. A pooler says that it knows no such parameter, or lets us in under a process
 * id of its own, which is not the one of the process that answers.
 */
export async function findManner(hosts: readonly pg.ClientConfig[], timeouts: Timeouts): Promise<Manner> {
  const direct = directManner(timeouts);
  const found = await Promise.allSettled(hosts.map((host) => isPooled({ ...host, ...direct.connection })));
  const known = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (known.length === 0) throw (found[0] as PromiseRejectedResult).reason;
  return known.includes(true) ? pooledManner(timeouts) : direct;
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

/** A pooler has process ids of its own. */
export async function isBehindPooler(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  // Not in the types of the library.
  const { processID } = client as unknown as { processID: number | null };
  return processID !== rows[0]?.pid;
}
