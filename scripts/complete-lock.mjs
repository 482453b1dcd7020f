// A registry mirror may lack the builds of a package for other platforms. npm then leaves them out of the lock
// file, and `npm ci` refuses a lock file in which an optional dependency is missing. This names them again, so
// that the lock file is the same wherever it was made: npm i && node scripts/complete-lock.mjs
// The checksums of those, which npm does not fetch here either, are asked of the registry.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const systems = [
  'linux',
  'darwin',
  'win32',
  'android',
  'freebsd',
  'netbsd',
  'openbsd',
  'sunos',
  'aix',
  'openharmony',
];
const processors = [
  'arm64',
  'x64',
  'ia32',
  'arm',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
  'wasm32',
];
const libraries = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

const added = [];
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (lock.packages[place] || !/^\d/.test(version)) continue;
    const words = name.split(/[/-]/);
    const system = systems.find((word) => words.includes(word));
    const processor = processors.find((word) => words.includes(word));
    if (!processor) continue;
    const library = words.map((word) => libraries[word]).find(Boolean);
    lock.packages[place] = {
      version,
      cpu: [processor],
      ...(parent.dev && { dev: true }),
      ...(library && system === 'linux' && { libc: [library] }),
      optional: true,
      ...(system && { os: [system] }),
    };
    added.push(name);
  }
}

const atOnce = 8;
let known = 0;
const bare = Object.entries(lock.packages).filter(([place, entry]) => place !== '' && !entry.integrity);
for (let from = 0; from < bare.length; from += atOnce)
  await Promise.all(
    bare.slice(from, from + atOnce).map(async ([place, entry]) => {
      const name = place.replace(/^.*node_modules\//, '');
      const view = ['view', `${name}@${entry.version}`, 'dist.integrity'];
      // A mirror may lack the package altogether.
      const { stdout } = await promisify(execFile)('npm', view).catch(() => ({ stdout: '' }));
      if (!stdout.startsWith('sha512-')) return;
      const { version, ...rest } = entry;
      lock.packages[place] = { version, integrity: stdout.trim(), ...rest };
      known++;
    }),
  );

const [root, ...rest] = Object.entries(lock.packages);
lock.packages = Object.fromEntries([root, ...rest.sort(([a], [b]) => (a < b ? -1 : 1))]);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(
  `${added.length} packages of other platforms named, ${known} of ${bare.length} missing checksums added`,
);
