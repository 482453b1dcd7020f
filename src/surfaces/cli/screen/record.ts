import { manyLines, oneLine } from '../../common/harmless-text.ts';
import { columnsOf, paintFor, paintState, type Screen } from './screen.ts';
import { tableText } from './table.ts';
import { padTo, time, widthOf, wrapped } from './text.ts';

type Fields = Record<string, unknown>;

/** Maximum levels shown field by field. Deeper values are shown as JSON. */
const maxDepth = 4;
const maxCellLength = 60;
const maxColumns = 100;
/** The most informative fields come first. */
const first = [
  'id',
  'runId',
  'name',
  'title',
  'status',
  'result',
  'kind',
  'type',
  'email',
  'description',
  'url',
];
const last = ['createdAt', 'updatedAt'];

/** A list as a table, an object field by field. */
export function answerText(answer: unknown, screen: Screen): string {
  if (isFields(answer) && isTable(answer['items'])) {
    const { items, nextCursor: _, ...rest } = answer;
    const more = Object.keys(rest).length > 0 ? `\n\n${recordText(rest, screen, 0)}` : '';
    return `${rowsText(items, screen)}${more}`;
  }
  if (Array.isArray(answer) && isTable(answer)) return rowsText(answer, screen);
  return isFields(answer) ? recordText(answer, screen, 0) : shown('', answer);
}

function rowsText(items: readonly Fields[], screen: Screen): string {
  if (items.length === 0) return 'None.';
  const columns = columnsIn(items);
  return tableText(
    columns.map(heading),
    items.map((item) => columns.map((column) => oneLine(shown(column, item[column]), maxCellLength))),
    screen,
  );
}

/** Columns that are omitted when all items have the same value. */
const containers = new Set(['projectId', 'organizationId']);

function columnsIn(items: readonly Fields[]): string[] {
  const all = [...new Set(items.flatMap((item) => Object.keys(item)))].slice(0, maxColumns);
  const plain = all.filter((name) => items.every((item) => isPlain(item[name])));
  const present = plain.filter((name) =>
    items.some((item) => item[name] !== null && item[name] !== undefined),
  );
  const rank = (name: string): number =>
    first.includes(name) ? first.indexOf(name) - first.length : last.includes(name) ? 1 : 0;
  const differs = (name: string): boolean => new Set(items.map((item) => item[name])).size > 1;
  return present
    .filter((name) => !containers.has(name) || differs(name))
    .toSorted((a, b) => rank(a) - rank(b));
}

function recordText(fields: Fields, screen: Screen, depth: number): string {
  const paint = paintFor(screen);
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length === 0) return 'nothing';
  const width = given
    .filter(([, value]) => isShort(value))
    .reduce((widest, [name]) => Math.max(widest, widthOf(heading(name))), 0);
  return given
    .map(([name, value]) => {
      const label = heading(name);
      if (!isShort(value)) return `${paint('cyan', label)}\n${indented(blockText(value, screen, depth + 1))}`;
      const room = columnsOf(screen) - depth * 2 - width - 2;
      const text = wrapped(shown(name, value), room, ' '.repeat(width + 2));
      return `${paint('cyan', padTo(label, width))}  ${paintState(paint, text)}`;
    })
    .join('\n');
}

/** A value that does not fit on the line of its name. */
function blockText(value: unknown, screen: Screen, depth: number): string {
  if (depth > maxDepth) return manyLines(JSON.stringify(value));
  const narrower = {
    ...screen,
    isTTY: screen.isTTY,
    columns: columnsOf(screen) - depth * 2,
    write: () => {},
  };
  if (isFields(value)) return recordText(value, screen, depth);
  const items = value as unknown[];
  if (isTable(items) && items.every(isRow)) return rowsText(items, narrower);
  return items
    .map((item) =>
      isPlain(item)
        ? `- ${shown('', item)}`
        : `- ${indented(blockText(item, screen, depth + 1)).trimStart()}`,
    )
    .join('\n');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTable(value: unknown): value is Fields[] {
  return Array.isArray(value) && value.every(isFields);
}

/** Whether the item fits in one row of a table. */
function isRow(item: Fields): boolean {
  return Object.values(item).every((value) => isPlain(value) && shown('', value).length <= maxCellLength);
}

/** Whether the value fits on the line of its name. */
function isShort(value: unknown): boolean {
  if (isPlain(value)) return true;
  if (!Array.isArray(value)) return Object.keys(value as object).length === 0;
  return value.every(isPlain) && shown('', value).length <= maxCellLength;
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function shown(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'number' && /(At|Until|^from|^to)$/.test(name) && value > 1e11) return time(value);
  if (Array.isArray(value) && value.every(isPlain))
    return value.length === 0 ? 'none' : value.map((one) => shown('', one)).join(', ');
  if (isFields(value) && Object.keys(value).length === 0) return 'none';
  return typeof value === 'string' ? manyLines(value) : JSON.stringify(value);
}

/** `created at` for `createdAt`. */
function heading(name: string): string {
  return oneLine(name, 40)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/\b[A-Z](?=[a-z])/g, (letter, at: number) => (at === 0 ? letter : letter.toLowerCase()));
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
