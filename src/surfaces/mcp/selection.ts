import { Refusal } from '../../contract/errors.ts';
import { areas, type Operation } from '../../contract/operation.ts';

/** Which tools a connection sees. */
export interface Selection {
  /** Areas of the contract; undefined: the tools for tasks. */
  toolsets: readonly string[] | undefined;
  readOnly: boolean;
}

/** `Eval runs` is `eval-runs`. */
function slugOf(area: string): string {
  return area
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replace(/-$/, '');
}

const everything = 'all';

export const toolsetNames: readonly string[] = [...Object.keys(areas).map(slugOf), everything];

/** From `servers,eval-runs`. Their order and repetitions make no difference. */
export function selectionOf(toolsets: string | undefined, readOnly: boolean): Selection {
  if (toolsets === undefined) return { toolsets: undefined, readOnly };
  const asked = toolsets.split(',').map((name) => name.trim());
  const unknown = asked.find((name) => !toolsetNames.includes(name));
  if (unknown !== undefined)
    throw new Refusal(
      'NOT_FOUND',
      `No toolset ${JSON.stringify(unknown.slice(0, 60))}. There are: ${toolsetNames.join(', ')}`,
    );
  return { toolsets: toolsetNames.filter((name) => asked.includes(name)), readOnly };
}

export function isSelected(operation: Operation, toolsets: readonly string[]): boolean {
  return toolsets.includes(everything) || toolsets.includes(slugOf(operation.area));
}

/** One for each list of tools that can be asked for. */
export function keyOf({ toolsets, readOnly }: Selection): string {
  return `${toolsets?.join(',') ?? ''}${readOnly ? '/readonly' : ''}`;
}
