import { columnsOf, paintFor, paintState, type Screen } from './screen.ts';
import { cutTo, padTo, widthOf } from './text.ts';

const gap = 2;
/** The minimum column width. Columns that do not fit are omitted from the right. */
const narrowest = 8;

/** A table that fits the screen: long cells are cut first, then columns are omitted from the right. */
export function tableText(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  screen: Screen,
): string {
  const natural = names.map((name, i) =>
    rows.reduce((widest, cells) => Math.max(widest, widthOf(cells[i] ?? '')), widthOf(name)),
  );
  const widths = fitted(natural, columnsOf(screen));
  const left = names.length - widths.length;
  const paint = paintFor(screen);
  const line = (cells: readonly string[], style: (text: string) => string): string =>
    widths
      .map((width, i) => {
        const text = cutTo(cells[i] ?? '', width);
        return i === widths.length - 1 ? style(text) : style(text) + padTo('', width - widthOf(text) + gap);
      })
      .join('')
      .trimEnd();
  return [
    line(names, (text) => paint('bold', text)),
    ...rows.map((cells) => line(cells, (text) => paintState(paint, text))),
    ...(left > 0
      ? [paint('dim', cutTo(`${left} more: ${names.slice(widths.length).join(', ')}`, columnsOf(screen)))]
      : []),
  ].join('\n');
}

/** The widths of the columns that fit. The first column, the ID, is never cut before others are omitted. */
function fitted(natural: readonly number[], columns: number): number[] {
  const widths = [...natural];
  const total = (): number => widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
  while (total() > columns) {
    const widest = widths
      .slice(1)
      .reduce((best, width, i) => (width > (widths[best] ?? 0) ? i + 1 : best), 1);
    const spare = (widths[widest] ?? 0) - narrowest;
    if (spare > 0) widths[widest] = (widths[widest] as number) - Math.min(spare, total() - columns);
    else if (widths.length > 1) widths.pop();
    else return [Math.min(widths[0] as number, columns)];
  }
  return widths;
}
