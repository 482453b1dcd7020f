import { setImmediate as nextTurn } from 'node:timers/promises';
import { formsOf } from './escaped-secrets.ts';
import { McpFailure } from './failures.ts';
import { hideSecrets, isSecret, maxRedactedDepth, withoutSecretsUpTo } from './target.ts';

/** Maximum number of refreshed tokens that are remembered. */
const maxLearned = 20;
/** Characters processed before yielding; undoing escapes takes a millisecond per thousand. */
const inOneTurn = { looking: 1024 * 1024, undoing: 16 * 1024 };
/** Characters of one value whose escapes are undone. Text beyond that is cut off if it may contain a secret. */
const maxUndone = 2 * 1024 * 1024;
/** Maximum length of one escaped character. */
const maxEscapeLength = 10;
const hidden = '[hidden]';
const cut = '[cut: the rest may hold a secret]';

/**
 * Removes secrets from messages of servers before callers, models, checks or traces see them, in every form that
 * `findSecrets` knows. A cheap test skips values without any.
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

  /** Adds secrets that become known later: tokens sent to the server. */
  learn(values: readonly string[]): this {
    if (values.every((value) => !isSecret(value) || this.secrets.includes(value))) return this;
    const before = this.learned.filter((value) => !values.includes(value));
    this.learned = [...before.slice(-maxLearned), ...values];
    this.prepare();
    return this;
  }

  async hide<T>(value: T): Promise<T> {
    if (this.secrets.length === 0 || !(await this.mayBeIn(value))) return value;
    return (await this.without(value, { undone: 0, inTurn: 0 }, 0)) as T;
  }

  private prepare(): void {
    this.secrets = [...new Set([...this.fixed, ...this.learned])].filter(isSecret);
    this.tests = this.secrets.flatMap(formsOf).map(mayOccurIn);
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
    if (depth > maxRedactedDepth) return '[nested too deeply]';
    const entries: [string, unknown][] = [];
    for (const [key, one] of Object.entries(value))
      entries.push([await this.inText(key, effort), await this.without(one, effort, depth + 1)]);
    return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
  }

  /** Processes overlapping slices, so that no secret is split. */
  private async inText(text: string, effort: Effort): Promise<string> {
    if (!this.mayHold(text)) return text;
    const overlap = Math.max(...this.secrets.map(({ length }) => length)) * maxEscapeLength;
    let shown = '';
    for (let at = 0; at < text.length; ) {
      const piece = text.slice(at, at + inOneTurn.undoing + overlap);
      const most = at + piece.length < text.length ? inOneTurn.undoing : piece.length;
      if (!this.mayHold(piece)) {
        shown += piece.slice(0, most);
        at += most;
        continue;
      }
      if (effort.undone > maxUndone) return shown + cut;
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
  /** Characters whose escapes were undone, in the whole value and since the last yield. */
  undone: number;
  inTurn: number;
}

/** An escaped letter or digit, which indicates an attempt to hide text. */
const escapedLetter =
  /(?:\\u00|%|&#x)(?:3\d|4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da])|&#(?:4[89]|5[0-7]|6[5-9]|[789]\d|1[01]\d|12[0-2]);/i;

/** Letters and digits need no escapes in JSON, URLs and HTML: a text without those of a secret does not contain it. */
function mayOccurIn(secret: string): (text: string) => boolean {
  const runs = secret.match(/[A-Za-z0-9]{3,}/g);
  if (runs) return (text) => runs.every((run) => text.includes(run));
  const inJson = JSON.stringify(secret).slice(1, -1);
  const nested = JSON.stringify(inJson).slice(1, -1);
  const forms = [inJson, nested, encodeURIComponent(secret.toWellFormed())];
  return (text) => text.includes(secret) || forms.some((form) => text.includes(form));
}
