import { OperatorProblem } from '../../platform/problem.ts';
import { oneLine } from '../harmless-text.ts';
import { called, type Named, nameOf, nearest } from '../naming.ts';

/** Looking for the nearest among more takes longer than anybody waits. */
const mostCompared = 2000;

/** The one with this id or name; otherwise the nearest name is said. */
export function theOne<Item extends Named>(what: string, wanted: string, items: readonly Item[]): Item {
  const found = called(wanted, items);
  const [first] = found;
  if (first && found.length === 1) return first;
  const said = oneLine(wanted, 100);
  if (first)
    throw new OperatorProblem(
      `Several of the ${plural(what)} are called ${said}; use the id: ${listed(found)}`,
    );
  if (items.length === 0) throw new OperatorProblem(`No ${what} ${said}. There is none yet`);
  const [near] = nearest(wanted, items.slice(0, mostCompared).map(nameOf));
  throw new OperatorProblem(
    near?.alike
      ? `No ${what} ${said}. Did you mean ${oneLine(near.name, 100)}?`
      : `No ${what} ${said}. There ${items.length === 1 ? 'is' : 'are'}: ${listed(items)}`,
  );
}

function plural(what: string): string {
  return what.endsWith('s') ? what : `${what}s`;
}

function listed(items: readonly Named[]): string {
  const shown = items
    .slice(0, 10)
    .map((item) => `${oneLine(nameOf(item), 60) || 'without a name'} (${oneLine(item.id, 60)})`);
  return [...shown, ...(items.length > 10 ? [`and ${items.length - 10} more`] : [])].join(', ');
}
