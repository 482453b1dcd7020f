import { readdir, readFile } from 'node:fs/promises';

const pageBytes = 4096;

/** Private memory of a process and its descendants in bytes; undefined without /proc, or if the process is gone. */
export async function memoryOf(root: number): Promise<number | undefined> {
  const entries = await readdir('/proc').catch(() => []);
  const parents = new Map<number, number>();
  const note = async (pid: number): Promise<void> => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The name, which comes before the parent, may contain any character, even a parenthesis.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2]);
    if (parent > 0) parents.set(pid, parent);
  };
  await Promise.all(
    entries
      .map(Number)
      .filter((pid) => pid > 0)
      .map(note),
  );
  const belongs = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined; at = parents.get(at))
      if (at === root) return true;
    return false;
  };
  const own = [...parents.keys()].filter(belongs);
  const sizes = await Promise.all(own.map(privateBytes));
  return own.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0);
}

async function privateBytes(pid: number): Promise<number> {
  const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''))
    .split(' ')
    .map(Number);
  return (resident - shared) * pageBytes;
}
