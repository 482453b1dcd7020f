import { setImmediate as nextTurn } from 'node:timers/promises';
import { formsOf } from './escaped-secrets.ts';
import { McpFailure } from './failures.ts';
import { hideSecrets, isSecret, withoutSecretsUpTo } from './target.ts';

/** Of tokens that are refreshed again and again, so many are remembered. */
const mostLearned = 20;
/** Characters looked at before others have a turn; undoing escapes takes a millisecond for a thousand. */
const inOneTurn = { looking: 1024 * 1024, undoing: 16 * 1024 };
/** Characters of one value whose escapes are undone. Behind that a text that may hold a secret is cut. */
const mostUndone = 2 * 1024 * 1024;
/** One character of a secret may be written with this many. */
const longestEscape = 10;
/** Deeper values would exhaust the stack, here or where they are written down. */
const deepest = 300;
const hidden = '[hidden]';
const cut = '[cut: the rest may hold a secret]';

/**
 * Takes secrets out of what servers say, before a caller, a model, a check or a trace sees it, in each form that
 * `findSecrets` knows. Looking whether there may be one is cheap, and a value without any is passed on as it is.
 */
export class Redactor {
  private readonly fixed: readonly string[];
  private learned: readonly string[] = [];
  private secrets: readonly string[] = [];
  private tests: readonly ((text: string) => boolean)[] = [];

  constructor(values: readonly string[]) {
    this.fixed = values;
    this.prepare();
  }

  /** Secrets that are only known when something was said: tokens that the server was sent. */
  learn(values: readonly string[]): this {
    if (values.every((value) => !isSecret(value) || this.secrets.includes(value))) return this;
    const before = this.learned.filter((value) => !values.includes(value));
    this.learned = [...before.slice(-mostLearned), ...values];
    this.prepare();
    return this;
  }

  async hide<T>(value: T): Promise<T> {
    if (this.secrets.length === 0 || !(await this.mayBeIn(value))) return value;
    return (await this.without(value, { undone: 0, inTurn: 0 }, 0)) as T;
  }

  private prepare(): void {
    this.secrets = [...new Set([...this.fixed, ...this.learned])].filter(isSecret);
    this.tests = this.secrets.flatMap(formsOf).map(mayStandIn);
  }

  private async mayBeIn(value: unknown): Promise<boolean> {
    const pending = [value];
    let inTurn = 0;
    while (pending.length > 0) {
      const next = pending.pop();
      if (typeof next === 'string' && this.mayHold(next)) return true;
      if (typeof next === 'number' && this.secrets.includes(String(next))) return true;
      if (next instanceof McpFailure) pending.push(next.message);
      if (typeof next === 'object' && next !== null) {
        for (const one of Object.values(next)) pending.push(one);
        if (!Array.isArray(next) && Object.keys(next).some((key) => this.mayHold(key))) return true;
      }
      inTurn += typeof next === 'string' ? next.length : 100;
      if (inTurn < inOneTurn.looking) continue;
      inTurn = 0;
      await nextTurn();
    }
    return false;
  }

  private mayHold(text: string): boolean {
    return this.tests.some((test) => test(text)) || escapedLetter.test(text);
  }

  private async without(value: unknown, effort: Effort, depth: number): Promise<unknown> {
    if (typeof value === 'string') return this.inText(value, effort);
    if (typeof value === 'number') return this.secrets.includes(String(value)) ? hidden : value;
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof McpFailure) return hideSecrets(value, this.secrets);
    if (depth > deepest) return '[nested too deeply]';
    const entries: [string, unknown][] = [];
    for (const [key, one] of Object.entries(value))
      entries.push([await this.inText(key, effort), await this.without(one, effort, depth + 1)]);
    return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
  }

  /** Piece by piece. Pieces overlap by as much as the longest secret takes, so that none is cut in two. */
  private async inText(text: string, effort: Effort): Promise<string> {
    if (!this.mayHold(text)) return text;
    const overlap = Math.max(...this.secrets.map(({ length }) => length)) * longestEscape;
    let shown = '';
    for (let at = 0; at < text.length; ) {
      const piece = text.slice(at, at + inOneTurn.undoing + overlap);
      const most = at + piece.length < text.length ? inOneTurn.undoing : piece.length;
      if (!this.mayHold(piece)) {
        shown += piece.slice(0, most);
        at += most;
        continue;
      }
      if (effort.undone > mostUndone) return shown + cut;
      effort.undone += piece.length;
      effort.inTurn += piece.length;
      if (effort.inTurn > inOneTurn.undoing) {
        effort.inTurn = 0;
        await nextTurn();
      }
      const searched = withoutSecretsUpTo(piece, this.secrets, most);
      shown += searched.shown;
      at += searched.end;
    }
    return shown;
  }
}

interface Effort {
  /** Characters whose escapes were undone, of the whole value and since others had a turn. */
  undone: number;
  inTurn: number;
}

/** A letter or a digit as an escape, which only somebody writes who wants to hide it. */
const escapedLetter =
  /(?:\\u00|%|&#x)(?:3\d|4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da])|&#(?:4[89]|5[0-7]|6[5-9]|[789]\d|1[01]\d|12[0-2]);/i;

/** Letters and digits stay as they are in JSON, in a URL and in a page: where they are missing, the secret is. */
function mayStandIn(secret: string): (text: string) => boolean {
  const runs = secret.match(/[A-Za-z0-9]{3,}/g);
  if (runs) return (text) => runs.every((run) => text.includes(run));
  const inJson = JSON.stringify(secret).slice(1, -1);
  const nested = JSON.stringify(inJson).slice(1, -1);
  const forms = [inJson, nested, encodeURIComponent(secret.toWellFormed())];
  return (text) => text.includes(secret) || forms.some((form) => text.includes(form));
}
