import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkFfmpeg } from './ffmpeg.ts';

let loaded: ReturnType<typeof load> | undefined;

/** Loads the browser library on first use, because it is large. */
export function loadPlaywright(): ReturnType<typeof load> {
  loaded ??= load();
  return loaded;
}

async function load() {
  linkFfmpeg(() => mkdtempSync(join(tmpdir(), `drydock-browser-${process.pid}-video-`)));
  return import('playwright-core');
}
