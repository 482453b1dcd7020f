import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

let linked = false;

/** Whether the library found an ffmpeg to make videos with. */
export function videoIsPossible(): boolean {
  return linked;
}

/**
 * The library makes videos only with an ffmpeg below a folder of its own. The ffmpeg of this machine is linked there;
 * without one, pictures are recorded. To be called before the library is loaded: that is when it looks.
 */
export function linkFfmpeg(makeFolder: () => string): void {
  const ffmpeg = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((place) => join(place, 'ffmpeg'))
    .find((file) => existsSync(file));
  if (ffmpeg === undefined || process.platform !== 'linux' || process.env['PLAYWRIGHT_BROWSERS_PATH']) return;
  const revision = revisionOfFfmpeg();
  if (revision === undefined) return;
  const folder = makeFolder();
  mkdirSync(join(folder, `ffmpeg-${revision}`), { recursive: true });
  symlinkSync(ffmpeg, join(folder, `ffmpeg-${revision}`, 'ffmpeg-linux'));
  process.env['PLAYWRIGHT_BROWSERS_PATH'] = folder;
  linked = true;
}

function revisionOfFfmpeg(): string | undefined {
  const library = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));
  const listed = JSON.parse(readFileSync(join(library, 'browsers.json'), 'utf8')) as {
    browsers: { name: string; revision: string }[];
  };
  return listed.browsers.find(({ name }) => name === 'ffmpeg')?.revision;
}
