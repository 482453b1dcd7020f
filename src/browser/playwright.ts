import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkFfmpeg } from './ffmpeg.ts';

let loaded: ReturnType<typeof load> | undefined;

/** Loads the browser library, which is large, with the first browser. */
export function loadPlaywright(): ReturnType<typeof load> {
  loaded ??= load();
  return loaded;
}

async function load() {
  linkFfmpeg(() => mkdtempSync(join(tmpdir(), `drydock-browser-${process.pid}-video-`)));
  return import('playwright-core');
}
