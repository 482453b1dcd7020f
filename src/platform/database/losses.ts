/**
 * The database was unavailable, or did not confirm a commit, for longer than a request waits. The request may be
 * retried.
 */
export class DatabaseUnavailable extends Error {
  /** In seconds. */
  readonly retryAfter = 2;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseUnavailable';
  }
}

/** No connection was made, so no statement was sent. */
const unconnected = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Starting up, shutting down, or out of connections.
  '57P03',
  '53300',
  '08001',
  '08004',
]);
/** The server ended the connection and reported that the statement was not executed. */
const undone = new Set(['57P01', '57P02']);
/** The connection broke; the statement may have been executed. */
const broken = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '08000', '08003', '08006', '08007']);
/** Messages of the driver and of PgBouncer that have no error code. */
const brokenWords =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|server conn crashed|server closed the connection)/;
const unconnectedWords =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated due to connection timeout|server login|pgbouncer cannot connect|query_wait_timeout)/;

/** Reported by a former primary that is read-only now. */
export function isReadOnly(error: unknown): boolean {
  return (error as { code?: string }).code === '25006';
}

export type ConnectionLoss = 'not-executed' | 'unknown-outcome';

/** Whether an error means that the database connection was lost, and whether the statement may have been executed. */
export function lossOf(error: unknown): ConnectionLoss | undefined {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code !== undefined && (unconnected.has(code) || undone.has(code))) return 'not-executed';
  if (unconnectedWords.test(message)) return 'not-executed';
  return (code !== undefined && broken.has(code)) || brokenWords.test(message)
    ? 'unknown-outcome'
    : undefined;
}
