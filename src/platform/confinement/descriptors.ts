import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;
/** Descriptors above this one are closed in this process, so that the list stays short. */
const highest = 1023;

let inherited: (number | 'ignore')[] | undefined;

/**
 * The rest of `stdio` for a child that gets no descriptor of whoever started this process, such as a file that a shell
 * holds open. Node sets close-on-exec on its own descriptors and leaves those that it inherited as they are; in their
 * place the child gets `/dev/null`.
 */
export function closedDescriptors(): (number | 'ignore')[] {
  inherited ??= findInherited();
  return inherited;
}

function findInherited(): (number | 'ignore')[] {
  if (process.platform !== 'linux') return [];
  const found = readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInherited(descriptor));
  for (const descriptor of found) if (descriptor > highest) closeSync(descriptor);
  const open = new Set(found.filter((descriptor) => descriptor <= highest));
  if (open.size === 0) return [];
  const nothing = openSync('/dev/null', 'r+');
  return Array.from({ length: Math.max(...open) - 2 }, (_, at) => (open.has(at + 3) ? nothing : 'ignore'));
}

function isInherited(descriptor: number): boolean {
  try {
    const [, flags = '0'] =
      /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The descriptor was the one used to list the others.
    return false;
  }
}
