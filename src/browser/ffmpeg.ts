import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

let linked = false;

/** Whether ffmpeg was linked for the library. */
export function videoIsPossible(): boolean {
  return linked;
}

/**
 * Links the ffmpeg of this machine into a folder of its own, where the library looks for it. Without ffmpeg, pictures
 * are recorded. Call it before the library is loaded.
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
