import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;
/** The highest inherited descriptor that stays open in this process. Closing higher ones keeps the list short. */
const maxDescriptor = 1023;

let inherited: (number | 'ignore')[] | undefined;

/**
 * The rest of `stdio` for a child, so that it inherits no descriptor, such as a file that a shell holds open. Node sets
 * close-on-exec on its own descriptors, but not on those that it inherited, which are replaced by `/dev/null`.
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
  for (const descriptor of found) if (descriptor > maxDescriptor) closeSync(descriptor);
  const open = new Set(found.filter((descriptor) => descriptor <= maxDescriptor));
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
