import { type DestinationStream, type Logger, pino } from 'pino';

/** Values of a log line. Objects are excluded, so that no request, headers or body can be logged. */
type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  /** Whether debug lines are written. Hot paths check it before they build one. */
  readonly debugging: boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields, cause?: unknown): void;
}

const secretShapes = [/\bsk_[A-Za-z0-9_-]{8,}/g, /\bBearer\s+\S+/gi, /:\/\/[^\s/@]+:[^\s/@]+@/g];

/** A second line of defense: error messages of libraries may quote their input. */
export function redact(text: string): string {
  return secretShapes.reduce(
    (kept, shape) => kept.replace(shape, shape.source.startsWith(':') ? '://[redacted]@' : '[redacted]'),
    text,
  );
}

function causeFields(cause: unknown): LogFields {
  if (!(cause instanceof Error)) return { error: redact(String(cause)) };
  return { error: redact(cause.message), stack: cause.stack ? redact(cause.stack) : undefined };
}

/** Writes JSON lines, or readable lines on a terminal. */
export function createLog(level: string, destination: DestinationStream = standardError()): Log {
  const logger: Logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return {
    debugging: logger.isLevelEnabled('debug'),
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}, cause) =>
      logger.error(cause === undefined ? fields : { ...fields, ...causeFields(cause) }, message),
  };
}

function standardError(): DestinationStream {
  if (!process.stderr.isTTY) return pino.destination({ dest: 2, sync: true });
  return { write: (line) => void process.stderr.write(forPeople(line)) };
}

export function forPeople(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, string>;
  const { stack, ...shown } = fields;
  const details = Object.entries(shown).map(([name, value]) => `${name}=${value}`);
  const clock = (time as string).slice(11, 19);
  return `${[clock, level, msg, ...details].join('  ')}\n${stack ? `${stack}\n` : ''}`;
}
