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

/** The configuration that the build and the development server share. */
export const consoleConfig = {
  configFile: false,
  root: 'src/surfaces/console/app',
  base: '/console/',
  plugins: [tablesForVite, react()],
  clearScreen: false,
};

/** How pages are built, whoever they are for. */
const usual = {
  outDir: `${process.cwd()}/${folder}`,
  // Both know `light-dark()` and nesting, which would be written out otherwise.
  target: 'es2023',
  cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
  // A page with a strict policy cannot use what is written into its style.
  assetsInlineLimit: 0,
  chunkSizeWarningLimit: 1000,
};

export async function buildConsole() {
  const { output } = await build({
    ...consoleConfig,
    plugins: [...consoleConfig.plugins, preloadShell],
    logLevel: 'warn',
    build: {
      ...usual,
      emptyOutDir: true,
      // One small style sheet for all pages, which none has to wait for.
      cssCodeSplit: false,
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
              { name: 'parts', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 4_000 },
            ],
          },
        },
      },
    },
  });
  const scripts = output.filter(({ type }) => type === 'chunk');
  const forVisitors = await buildVisit();
  const inputs = Object.fromEntries(
    [...scripts, ...forVisitors].flatMap(({ moduleIds }) =>
      moduleIds.map((id) => [id.replace(/^\0/, ''), true]),
    ),
  );
  await writeFile(`${folder}/THIRD-PARTY-LICENSES.txt`, await licensesOf({ inputs }));
  await compress();
  report(scripts, await sizes(scripts));
  reportVisit(forVisitors, await sizes(forVisitors));
  return { inputs };
}

/** The pages of those who come by a link; by themselves, because they have no use for what the console shares. */
async function buildVisit() {
  const root = `${process.cwd()}/${consoleConfig.root}`;
  const { output } = await build({
    ...consoleConfig,
    publicDir: false,
    logLevel: 'warn',
    build: {
      ...usual,
      emptyOutDir: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: { visit: `${root}/visit.html`, shared: `${root}/shared.html` },
        output: {
          chunkFileNames: 'assets/[name]-[hash].js',
          codeSplitting: {
            groups: [{ name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 2 }],
          },
        },
      },
    },
  });
  return output.filter(({ type }) => type === 'chunk');
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

/** A chunk that several pages share is named `parts`; otherwise its name would list the pages. */
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

/** All scripts that one needs before it runs, itself included. */
function needsOf(scripts) {
  const byName = new Map(scripts.map((chunk) => [chunk.fileName, chunk]));
  const needs = (fileName, seen = new Set()) => {
    if (seen.has(fileName)) return seen;
    seen.add(fileName);
    for (const next of byName.get(fileName)?.imports ?? []) needs(next, seen);
    return seen;
  };
  return needs;
}

function kilobytes(files, size) {
  return `${([...files].reduce((sum, file) => sum + (size.get(file) ?? 0), 0) / 1000).toFixed(1)} kB`;
}

/** The size of the first page, and what each page adds to it. */
function report(scripts, size) {
  const needs = needsOf(scripts);
  const shell = new Set();
  for (const { fileName } of scripts.filter(({ isEntry, name }) => isEntry || name === 'shell'))
    needs(fileName, shell);
  const pages = scripts.filter(
    ({ isDynamicEntry, facadeModuleId }) => isDynamicEntry && /\/pages\//.test(facadeModuleId ?? ''),
  );
  const lines = pages.map(({ name, fileName }) => {
    const added = [...needs(fileName)].filter((file) => !shell.has(file));
    return `${name} +${kilobytes(added, size)}`;
  });
  console.log(`console: shell ${kilobytes(shell, size)} of script, compressed; ${lines.sort().join(', ')}`);
}

/** The size of each page, and what the first widget adds to a visit. */
function reportVisit(scripts, size) {
  const needs = needsOf(scripts);
  const whole = scripts.filter(({ isEntry }) => isEntry);
  const lines = whole.map(({ name, fileName }) => `${name} ${kilobytes(needs(fileName), size)}`);
  const before = new Set(whole.flatMap(({ fileName }) => [...needs(fileName)]));
  const later = scripts.filter(({ isDynamicEntry }) => isDynamicEntry);
  const added = later.map(({ name, fileName }) => {
    const more = [...needs(fileName)].filter((file) => !before.has(file));
    return `${name} +${kilobytes(more, size)}`;
  });
  console.log(`pages by link: ${lines.sort().join(', ')} of script, compressed; ${added.sort().join(', ')}`);
}
