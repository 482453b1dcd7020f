import { Refusal } from '../../contract/errors.ts';
import { areas, type Operation } from '../../contract/operation.ts';

/** The tools of a connection. */
export interface Selection {
  /** Areas of the contract; undefined selects the task tools. */
  toolsets: readonly string[] | undefined;
  readOnly: boolean;
}

/** `eval-runs` for `Eval runs`. */
function slugOf(area: string): string {
  return area
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replace(/-$/, '');
}

const everything = 'all';

export const toolsetNames: readonly string[] = [...Object.keys(areas).map(slugOf), everything];

/** Parses `servers,eval-runs`. Order and duplicates are ignored. */
export function selectionOf(toolsets: string | undefined, readOnly: boolean): Selection {
  if (toolsets === undefined) return { toolsets: undefined, readOnly };
  const asked = toolsets.split(',').map((name) => name.trim());
  const unknown = asked.find((name) => !toolsetNames.includes(name));
  if (unknown !== undefined)
    throw new Refusal(
      'NOT_FOUND',
      `No toolset ${JSON.stringify(unknown.slice(0, 60))}. Available: ${toolsetNames.join(', ')}`,
    );
  return { toolsets: toolsetNames.filter((name) => asked.includes(name)), readOnly };
}

export function isSelected(operation: Operation, toolsets: readonly string[]): boolean {
  return toolsets.includes(everything) || toolsets.includes(slugOf(operation.area));
}

/** The cache key of a selection. */
export function keyOf({ toolsets, readOnly }: Selection): string {
  return `${toolsets?.join(',') ?? ''}${readOnly ? '/readonly' : ''}`;
}
