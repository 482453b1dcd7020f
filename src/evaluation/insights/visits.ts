import { groupBy } from '../group-by.ts';

/** A message of a visitor and its reply, as stored. */
export interface VisitTurn {
  asked: string;
  answered: boolean;
  /** Excludes time spent waiting for the visitor. */
  durationMs: number;
  calls: readonly { toolName: string; serverId?: string; ok: boolean }[];
}

/** A session of a visitor, as stored. */
export interface VisitSession {
  sessionId: string;
  rating: number | null;
  ratedAt: number | null;
  lastActivityAt: number;
}

/** Seven days of a study, from Monday at midnight (UTC) on. */
export interface Window {
  /** `win_` and the date of the Monday. */
  id: string;
  from: number;
  to: number;
}

/** The window that is analysed, and when. */
export interface Analysis extends Pick<Window, 'from' | 'to'> {
  now: number;
  /** Milliseconds without activity after which a session counts as over. */
  idleAfter: number;
}

/** One session of a visitor within one window. */
export interface VisitFacts {
  sessionId: string;
  turns: number;
  slowTurns: number;
  repeatsItself: boolean;
  tools: { serverId: string | null; toolName: string; calls: number; failed: number }[];
  /** The outcome of the session's last message; null if the session may continue, or continued after the window. */
  end: null | 'answered' | 'unanswered' | 'tools_failed';
  /** Null without a rating within the window. */
  liked: boolean | null;
}

const day = 86_400_000;
/** Milliseconds from 1970-01-01, a Thursday, to the first Monday. */
const firstMonday = 4 * day;
const week = 7 * day;
/** Milliseconds; a longer turn counts as slow. */
const maxTurn = 15_000;

export function windowAt(time: number): Window {
  const from = Math.floor((time - firstMonday) / week) * week + firstMonday;
  const date = new Date(from).toISOString().slice(0, 10).replaceAll('-', '');
  return { id: `win_${date}`, from, to: from + week };
}

/** `turns` are the turns within the window, in order. */
export function factsOfVisit(
  session: VisitSession,
  turns: readonly VisitTurn[],
  analysis: Analysis,
): VisitFacts {
  const { sessionId, rating, ratedAt } = session;
  const isRated = rating !== null && ratedAt !== null && ratedAt >= analysis.from && ratedAt < analysis.to;
  return {
    sessionId,
    turns: turns.length,
    slowTurns: turns.filter(({ durationMs }) => durationMs > maxTurn).length,
    repeatsItself: repeatsItself(turns.map(({ asked }) => asked)),
    tools: toolsIn(turns),
    end: isOver(session, analysis) ? endOf(turns) : null,
    liked: isRated ? rating > 0 : null,
  };
}

function isOver({ lastActivityAt }: VisitSession, { to, now, idleAfter }: Analysis): boolean {
  return lastActivityAt < to && now - lastActivityAt >= idleAfter;
}

function endOf(turns: readonly VisitTurn[]): VisitFacts['end'] {
  const last = turns.at(-1);
  if (!last) return null;
  if (!last.answered) return 'unanswered';
  return last.calls.some(({ ok }) => !ok) ? 'tools_failed' : 'answered';
}

function toolsIn(turns: readonly VisitTurn[]): VisitFacts['tools'] {
  const calls = turns.flatMap((turn) => turn.calls);
  const byTool = groupBy(calls, ({ toolName, serverId = null }) => JSON.stringify([serverId, toolName]));
  return [...byTool.values()].map((group) => ({
    serverId: group[0].serverId ?? null,
    toolName: group[0].toolName,
    calls: group.length,
    failed: group.filter(({ ok }) => !ok).length,
  }));
}

/** Minimum distinct words of a compared message. Shorter ones, like "yes please", are often repeated for no reason. */
const fewestWords = 3;
/** Minimum ratio of shared words to all distinct words of two messages (Jaccard index). */
const nearlySame = 0.7;
/** Bounds on the comparison: earlier messages per message, and words per message. */
const lookBack = 20;
const maxWords = 100;

/** Each character counts as a word in scripts that put no spaces between words. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{Letter}\p{Mark}\p{Number}]+/gu;
const digit = /\p{Number}/u;

/** Whether a message nearly repeats an earlier one, which suggests that the first reply did not help. */
function repeatsItself(messages: readonly string[]): boolean {
  const wordSets = messages.map(wordsOf).filter(({ size }) => size >= fewestWords);
  return wordSets.some((words, at) =>
    wordSets.slice(Math.max(0, at - lookBack), at).some((earlier) => isNearly(words, earlier)),
  );
}

function wordsOf(message: string): Set<string> {
  return new Set((message.toLowerCase().match(word) ?? []).slice(0, maxWords));
}

function isNearly(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  let common = 0;
  for (const one of a) if (b.has(one)) common++;
  return common >= nearlySame * (a.size + b.size - common) && !hasOwnNumber(a, b) && !hasOwnNumber(b, a);
}

/** Whether `a` has a number that `b` lacks, and so asks a different question. */
function hasOwnNumber(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const one of a) if (digit.test(one) && !b.has(one)) return true;
  return false;
}
