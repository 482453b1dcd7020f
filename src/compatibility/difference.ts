/**
 * The impact of a difference on clients. `breaking`: working clients may fail. `risky`: a text that models read
 * changed, or the effect is unknown. `safe`: working clients continue to work.
 */
export type Impact = 'breaking' | 'risky' | 'safe';

const impacts: readonly Impact[] = ['breaking', 'risky', 'safe'];

/** A difference between two exports of a server. */
export interface Difference {
  impact: Impact;
  kind: DifferenceKind;
  /** The subject, such as `tool add_ship`. */
  subject: string;
  /** A JSON pointer into the document that `in` names. */
  pointer: string;
  in: 'baseline' | 'current';
  message: string;
  /** The positions in both documents. */
  place: DocumentPlace;
}

export type DifferenceKind =
  | 'removed'
  | 'added'
  | 'required'
  | 'optional'
  | 'narrowed'
  | 'widened'
  | 'changed'
  | 'text';

const maxKept = 500;

/** The positions of corresponding parts in both documents. */
export interface DocumentPlace {
  subject: string;
  baseline: string;
  current: string;
}

/** Collects differences up to a limit, and counts the others. */
export class Differences {
  readonly list: Difference[] = [];
  readonly counts: Record<Impact, number> = { breaking: 0, risky: 0, safe: 0 };
  private readonly kept: Record<Impact, number> = { breaking: 0, risky: 0, safe: 0 };

  add(impact: Impact, kind: DifferenceKind, place: DocumentPlace, message: string): void {
    this.counts[impact]++;
    // Keeps the most severe differences.
    if (this.list.length >= maxKept && !this.makeRoom(impact)) return;
    const where = kind === 'removed' ? ('baseline' as const) : ('current' as const);
    const { subject } = place;
    const pointer = place[where];
    this.list.push({ impact, kind, subject, pointer, in: where, message, place });
    this.kept[impact]++;
  }

  get omitted(): number {
    return this.counts.breaking + this.counts.risky + this.counts.safe - this.list.length;
  }

  /** Most severe first, then in document order. */
  sorted(): Difference[] {
    return impacts.flatMap((impact) => this.list.filter((one) => one.impact === impact));
  }

  private makeRoom(impact: Impact): boolean {
    const lighter = impacts.slice(impacts.indexOf(impact) + 1).reverse();
    for (const each of lighter) {
      if (this.kept[each] === 0) continue;
      this.list.splice(
        this.list.findLastIndex((one) => one.impact === each),
        1,
      );
      this.kept[each]--;
      return true;
    }
    return false;
  }
}

/** Descends in both documents. */
export function below(place: DocumentPlace, ...keys: (string | number)[]): DocumentPlace {
  const path = keys.map((key) => `/${pointerToken(key)}`).join('');
  return { ...place, baseline: place.baseline + path, current: place.current + path };
}

function pointerToken(key: string | number): string {
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1');
}

const maxShown = 120;

/** The start of a value for a message. Large values are not serialized further than shown. */
export function shown(value: unknown): string {
  const text = written(value, maxShown);
  return text.length > maxShown ? `${text.slice(0, maxShown - 1).toWellFormed()}…` : text;
}

/** Serializes a value up to about `room` characters. */
function written(value: unknown, room: number): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room + 1));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const list = Array.isArray(value);
  let text = list ? '[' : '{';
  for (const key in value) {
    if (text.length > room) return text;
    if (text.length > 1) text += ',';
    if (!list) text += `${written(key, room - text.length)}:`;
    text += written((value as Record<string, unknown>)[key], room - text.length);
  }
  return text + (list ? ']' : '}');
}
