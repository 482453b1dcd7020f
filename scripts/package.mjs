// Lays out the published package in dist/package, from the build. The manifest names only the dependencies that are
// installed with it; the bundle contains the others. The lock beside it pins those for the image; npm excludes it from the
// package. Pack it with: npm pack ./dist/package
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { installedWith, publishedDependencies } from './installed.mjs';

const folder = 'dist/package';
const read = async (path) => JSON.parse(await readFile(path, 'utf8'));
const write = (name, content) => writeFile(`${folder}/${name}`, `${JSON.stringify(content, null, 2)}\n`);

const [manifest, lock, rules] = await Promise.all(
  ['package.json', 'package-lock.json', 'scripts/dependencies.json'].map(read),
);
const needed = publishedDependencies(manifest, rules);

await rm(folder, { recursive: true, force: true });
const parts = [
  'dist/program',
  'dist/client',
  'dist/console',
  'docs',
  'deploy',
  'CHANGELOG.md',
  'README.md',
  'LICENSE',
];
for (const part of parts)
  await cp(part, `${folder}/${part}`, { recursive: true, filter: (path) => !path.endsWith('.map') });

// Left out of the published manifest: JSON drops what is undefined.
const ofCheckout = ['private', 'scripts', 'devDependencies', 'overrides', 'allowScripts'];
const left = Object.fromEntries(ofCheckout.map((field) => [field, undefined]));
await write('package.json', { ...manifest, ...needed, ...left });
const { name, version, license, engines, bin } = manifest;
const packages = installedWith(lock, needed).map(([place, entry]) => [place, { ...entry, dev: undefined }]);
await write('package-lock.json', {
  name,
  version,
  lockfileVersion: lock.lockfileVersion,
  requires: true,
  packages: { '': { name, version, license, ...needed, bin, engines }, ...Object.fromEntries(packages) },
});
