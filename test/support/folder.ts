import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder with these files, removed after the test. */
export async function folderOf(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-folder-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** Files in memory, as `folderOf` has them on disk. */
export function filesOf(files: Record<string, string>): Map<string, Buffer> {
  return new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
}

export function skillMd(name: string, { body = 'Be kind.', extra = '' } = {}): string {
  return `---\nname: ${name}\ndescription: About ${name}\n${extra}---\n\n${body}\n`;
}
