import { columnsOf, type Screen } from './screen.ts';
import { cutTo } from './text.ts';

const up = (lines: number): string => (lines > 0 ? `\u001B[${lines}A` : '');

/** Terminal lines that are redrawn in place. Lines that do not fit are counted instead. */
export function liveLines(screen: Screen): { draw: (lines: readonly string[]) => void; end: () => void } {
  let drawn = 0;
  return {
    draw: (lines) => {
      const room = Math.max(1, (screen.rows || 24) - 1);
      const more = `and ${lines.length - room + 1} more`;
      const shown = lines.length <= room ? lines : [...lines.slice(0, room - 1), more];
      const text = shown.map((line) => `\r\u001B[K${cutTo(line, columnsOf(screen) - 1)}`).join('\n');
      screen.write(`${up(drawn - 1)}${text}`);
      drawn = Math.max(drawn, shown.length);
    },
    end: () => {
      if (drawn > 0) screen.write('\n\n');
      drawn = 0;
    },
  };
}

export function barOf(done: number, total: number, width: number): string {
  const full = total === 0 ? 0 : Math.round((done / total) * width);
  return `[${'='.repeat(full)}${' '.repeat(width - full)}]`;
}
