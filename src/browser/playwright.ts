import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkFfmpeg } from './ffmpeg.ts';

type Playwright = typeof import('playwright-core');

let loaded: Promise<Playwright> | undefined;

/** The library that drives the browser: large, so it is loaded with the first browser. */
export function loadPlaywright(): Promise<Playwright> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Playwright> {
  linkFfmpeg(() => mkdtempSync(join(tmpdir(), `drydock-browser-${process.pid}-video-`)));
  return import('playwright-core');
}
