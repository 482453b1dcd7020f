// The console: bundled for browsers into dist/console, under names that change with their content, and compressed now so
// that nobody waits for that when it is asked for.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { licensesOf } from './licenses.mjs';
import { tablesForVite } from './tables.mjs';

const folder = 'dist/console';

/** What both the build and the server for development need. */
export const consoleConfig = {
  configFile: false,
  root: 'src/surfaces/console/app',
  base: '/console/',
  plugins: [tablesForVite, react()],
  clearScreen: false,
};

export async function buildConsole() {
  const { output } = await build({
    ...consoleConfig,
    plugins: [...consoleConfig.plugins, preloadShell],
    logLevel: 'warn',
    build: {
      outDir: `${process.cwd()}/${folder}`,
      emptyOutDir: true,
      // Both know `light-dark()` and nesting, which would be written out otherwise.
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
      // A page with a strict policy cannot use what is written into its style.
      assetsInlineLimit: 0,
      // One small style sheet for all pages, which none has to wait for.
      cssCodeSplit: false,
      chunkSizeWarningLimit: 1000,
      // Few files: each is a request of its own, and browsers make six at a time.
      rolldownOptions: {
        output: {
          chunkFileNames: ({ name }) => `assets/${shortName(name)}-[hash].js`,
          assetFileNames: ({ names: [name = ''] }) => `assets/${shortName(name)}-[hash][extname]`,
          codeSplitting: {
            groups: [
              { name: 'start', tags: ['$initial'], priority: 3 },
              { name: 'react', test: /node_modules\/(react-dom|scheduler)\//, priority: 2 },
              {
                name: 'router',
                test: /node_modules\/@tanstack\/((react-)?(router|store)|history)/,
                priority: 2,
              },
              {
                name: (id, graph) => (shellModules(graph).has(id) ? 'shell' : null),
                debugName: 'shell',
                priority: 1,
              },
              { name: 'parts', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 15_000 },
            ],
          },
        },
      },
    },
  });
  const scripts = output.filter(({ type }) => type === 'chunk');
  const inputs = Object.fromEntries(
    scripts.flatMap(({ moduleIds }) => moduleIds.map((id) => [id.replace(/^\0/, ''), true])),
  );
  await writeFile(`${folder}/THIRD-PARTY-LICENSES.txt`, await licensesOf({ inputs }));
  await compress();
  report(scripts, await sizes(scripts));
}

let shellIds;

/** Modules that are needed to draw any page. */
function shellModules(graph) {
  if (shellIds) return shellIds;
  shellIds = new Set();
  const wanted = [`${process.cwd()}/${consoleConfig.root}/draw.tsx`];
  for (const id of wanted) {
    if (shellIds.has(id)) continue;
    shellIds.add(id);
    wanted.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return shellIds;
}

/** The shell is on its way before the script that asks for it has arrived. */
const preloadShell = {
  name: 'preload-shell',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => /^assets\/(react|router|shell)-/.test(file))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `${consoleConfig.base}${file}` },
          injectTo: 'head',
        })),
  },
};

/** What several pages share would be called after all of them. */
function shortName(name) {
  return name.startsWith('parts') ? 'parts' : '[name]';
}

/** Browsers ask for nothing better where there is no TLS. */
async function compress() {
  const zip = promisify(gzip);
  for (const file of await readdir(folder, { recursive: true })) {
    if (!/\.(js|css|html|svg)$/.test(file)) continue;
    const bytes = await readFile(`${folder}/${file}`);
    await writeFile(`${folder}/${file}.gz`, await zip(bytes, { level: 9 }));
  }
}

async function sizes(scripts) {
  const measured = scripts.map(async ({ fileName }) => [
    fileName,
    (await readFile(`${folder}/${fileName}.gz`)).length,
  ]);
  return new Map(await Promise.all(measured));
}

/** What a reader loads for the first page, and what each page adds to it. */
function report(scripts, size) {
  const byName = new Map(scripts.map((chunk) => [chunk.fileName, chunk]));
  const needs = (fileName, seen = new Set()) => {
    if (seen.has(fileName)) return seen;
    seen.add(fileName);
    for (const next of byName.get(fileName)?.imports ?? []) needs(next, seen);
    return seen;
  };
  const kilobytes = (files) =>
    `${([...files].reduce((sum, file) => sum + (size.get(file) ?? 0), 0) / 1000).toFixed(1)} kB`;
  const shell = new Set();
  for (const { fileName } of scripts.filter(({ isEntry, name }) => isEntry || name === 'shell'))
    needs(fileName, shell);
  const pages = scripts.filter(
    ({ isDynamicEntry, facadeModuleId }) => isDynamicEntry && /\/pages\//.test(facadeModuleId ?? ''),
  );
  const lines = pages.map(({ name, fileName }) => {
    const added = [...needs(fileName)].filter((file) => !shell.has(file));
    return `${name} +${kilobytes(added)}`;
  });
  console.log(`console: shell ${kilobytes(shell)} of script, compressed; ${lines.sort().join(', ')}`);
}
