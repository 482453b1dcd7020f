/** An output stream of a command: a terminal or a pipe. */
export interface Screen {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  write(text: string): unknown;
}

/** The width of a terminal; infinite for a pipe. */
export function columnsOf({ isTTY, columns }: Screen): number {
  return isTTY ? Math.max(20, columns ?? 80) : Number.POSITIVE_INFINITY;
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const codes: Record<Style, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export type Paint = (style: Style, text: string) => string;

/** Colors a terminal that supports them. NO_COLOR and FORCE_COLOR take precedence. */
export function paintFor({ isTTY }: Screen, env: NodeJS.ProcessEnv = process.env): Paint {
  const forced = env['FORCE_COLOR'];
  const coloured = env['NO_COLOR']
    ? false
    : forced !== undefined && forced !== ''
      ? forced !== '0'
      : isTTY === true && env['TERM'] !== 'dumb';
  if (!coloured) return (_style, text) => text;
  return (style, text) => `\u001B[${codes[style][0]}m${text}\u001B[${codes[style][1]}m`;
}

const good = new Set([
  'passed',
  'completed',
  'connected',
  'ready',
  'healthy',
  'ok',
  'true',
  'active',
  'pass',
  'safe',
]);
const bad = new Set(['failed', 'error', 'unreachable', 'unhealthy', 'fail', 'breaking', 'timeout', 'lost']);
const open = new Set([
  'running',
  'pending',
  'queued',
  'cancelled',
  'incomplete',
  'risky',
  'waiting',
  'authorizing',
]);

/** Colors a state green, red or yellow. */
export function paintState(paint: Paint, text: string): string {
  const word = text.trim().toLowerCase();
  if (good.has(word)) return paint('green', text);
  if (bad.has(word)) return paint('red', text);
  return open.has(word) ? paint('yellow', text) : text;
}

/** Shows progress: replaces the previous line on a terminal, adds a line elsewhere. */
export function progress(screen: Screen = process.stderr): { say: (text: string) => void; end: () => void } {
  if (!screen.isTTY) return { say: (text) => void screen.write(`${text}\n`), end: () => {} };
  const clear = '\r\u001B[K';
  return { say: (text) => void screen.write(`${clear}${text}`), end: () => void screen.write(clear) };
}
