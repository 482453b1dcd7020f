// Bundles the official conformance suite into one file, which a run starts as a separate process. The published suite
// loads a function that Node 20 lacks; the bundle resolves it only on use. The suite reads its lists of requirements from
// beside its folder.
import { cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

export async function buildConformanceSuite(folder) {
  const suite = dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
  );
  const { metafile } = await build({
    entryPoints: [{ in: join(suite, 'dist/index.js'), out: 'suite' }],
    outdir: join(folder, 'suite'),
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'error',
    metafile: true,
    define: { 'import.meta.url': 'addressOfSuite' },
    banner: { js: 'const addressOfSuite = require("node:url").pathToFileURL(__filename).href;' },
  });
  await mkdir(join(folder, 'requirements'), { recursive: true });
  await cp(join(suite, 'requirements'), join(folder, 'requirements'), { recursive: true });
  await cp(new URL('../src/conformance/lockdown.cjs', import.meta.url), join(folder, 'lockdown.cjs'));
  return metafile;
}
