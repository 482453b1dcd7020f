/** The database was away, or did not confirm in time, for longer than a request waits. What was asked may be asked again. */
export class DatabaseUnavailable extends Error {
  /** In seconds. */
  readonly retryAfter = 2;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseUnavailable';
  }
}

/** No connection was made, so nothing was asked of the database. */
const unconnected = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Starting up, shutting down, or without a free connection.
  '57P03',
  '53300',
  '08001',
  '08004',
]);
/** The server says so itself: it ended the connection and what it was asked was not done. */
const undone = new Set(['57P01', '57P02']);
/** The connection broke; what was asked may have been done. */
const broken = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '08000', '08003', '08006', '08007']);
/** Of the driver and of PgBouncer, which have no code for it. */
const brokenWords =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|server conn crashed|server closed the connection)/;
const unconnectedWords =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated due to connection timeout|server login|pgbouncer cannot connect|query_wait_timeout)/;

/** Said by a former primary that only reads by now. */
export function isReadOnly(error: unknown): boolean {
  return (error as { code?: string }).code === '25006';
}

export type Loss = 'undone' | 'in doubt';

/** Whether an error means that the database was lost, and then whether what was asked can have been done all the same. */
export function lossOf(error: unknown): Loss | undefined {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code !== undefined && (unconnected.has(code) || undone.has(code))) return 'undone';
  if (unconnectedWords.test(message)) return 'undone';
  return (code !== undefined && broken.has(code)) || brokenWords.test(message) ? 'in doubt' : undefined;
}
