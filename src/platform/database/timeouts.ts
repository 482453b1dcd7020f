import pg from 'pg';

/** In milliseconds. */
export interface Timeouts {
  /** After which the database cancels a statement. */
  statement: number;
  /** After which it ends a connection whose transaction does nothing. */
  idleInTransaction: number;
}

export const usualTimeouts: Timeouts = { statement: 30_000, idleInTransaction: 60_000 };

/** How the timeouts reach the database: with each connection, or with each transaction. */
export interface TimeoutPlan {
  connection: Pick<
    pg.ClientConfig,
    'statement_timeout' | 'idle_in_transaction_session_timeout' | 'query_timeout'
  >;
  /** Sent with what begins a transaction. */
  afterBegin: string;
}

/** The database sets them when the connection is made. */
export function timeoutsOfConnection({ statement, idleInTransaction }: Timeouts): TimeoutPlan {
  return {
    connection: { statement_timeout: statement, idle_in_transaction_session_timeout: idleInTransaction },
    afterBegin: '',
  };
}

/**
 * A pooler refuses them there, and what one of its clients sets for a session the next one finds set. So each
 * transaction sets them for itself, in the message that begins it. A statement outside of one is given up on our side.
 */
function timeoutsOfTransaction({ statement, idleInTransaction }: Timeouts): TimeoutPlan {
  return {
    connection: { query_timeout: 2 * statement },
    afterBegin: `; set local statement_timeout = ${statement}; set local idle_in_transaction_session_timeout = ${idleInTransaction}`,
  };
}

const unsupportedParameter = '08P01';

/**
 * Finds out by connecting once. A pooler says that it knows no such parameter, or lets us in under a process id of its
 * own, which is not the one of the process that answers.
 */
export async function planTimeouts(options: pg.ClientConfig, timeouts: Timeouts): Promise<TimeoutPlan> {
  const direct = timeoutsOfConnection(timeouts);
  const client = new pg.Client({ ...options, ...direct.connection });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    // Not in the types of the library.
    const { processID } = client as unknown as { processID: number | null };
    return processID === rows[0]?.pid ? direct : timeoutsOfTransaction(timeouts);
  } catch (error) {
    if ((error as { code?: string }).code !== unsupportedParameter) throw error;
    return timeoutsOfTransaction(timeouts);
  } finally {
    await client.end().catch(() => {});
  }
}
