import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { Drydock, type Outcome } from './support/process.ts';

/** What the program says it is made of, and what changes of dependencies are held against. */

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const schemas = 'node_modules/@cyclonedx/cyclonedx-library/res/schema';
const run = (...args: string[]): Promise<Outcome> => new Drydock(args, {}).outcome();

interface Listed {
  name: string;
  version: string;
  license: string;
  use: string;
}

test('the bill of materials is valid CycloneDX 1.6 and names all that is bundled or installed', async () => {
  const [sbom, licenses, texts] = await Promise.all([
    run('sbom'),
    run('licenses', '--json'),
    run('licenses', '--text'),
  ]);
  expect([sbom.code, licenses.code, texts.code]).toEqual([0, 0, 0]);
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const schemaOf = (name: string): object => JSON.parse(read(`${schemas}/${name}`)) as object;
  for (const name of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json'])
    ajv.addSchema({ ...schemaOf(name), $id: `http://cyclonedx.org/schema/${name}` });
  const valid = ajv.compile(schemaOf('bom-1.6.SNAPSHOT.schema.json'));
  expect(valid(JSON.parse(sbom.stdout)) || valid.errors).toBe(true);
  const { components } = JSON.parse(sbom.stdout) as { components: { purl: string; hashes?: object[] }[] };
  expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([]);

  const listed = JSON.parse(licenses.stdout) as Listed[];
  expect(listed).toHaveLength(components.length);
  const lines = listed.map(({ name, version, license, use }) => `${name} ${version} (${license}) ${use}`);
  const lock = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version: string; license: string; dev?: boolean; link?: boolean }>;
  };
  const needed = Object.entries(lock.packages)
    // What is linked stands in for a package that is not wanted.
    .filter(([place, { dev, link }]) => place !== '' && !dev && !link)
    .map(
      ([place, { version, license }]) => `${place.replace(/^.*node_modules\//, '')} ${version} (${license})`,
    );
  expect(needed.length).toBeGreaterThan(30);
  expect(lines.map((line) => line.replace(/ \w+$/, ''))).toEqual(expect.arrayContaining(needed));
  // Each text begins with the name, version and licence of its package.
  const heads = [...texts.stdout.matchAll(/^-{80}\n\n(\S+ \S+ \(.+\))$/gm)].map(
    ([, head]) => `${head} bundled`,
  );
  expect([...new Set(heads)].sort()).toEqual(lines.filter((line) => line.endsWith(' bundled')).sort());
});

interface Rules {
  reasons: Record<string, string>;
  installScripts: Record<string, string>;
}
interface Lock {
  packages: Record<string, object>;
}
// A script without types, which is run as it is.
const { problemsOf } = (await import(new URL('../scripts/check-dependencies.mjs', import.meta.url).href)) as {
  problemsOf: (manifest: object, lock: Lock, rules: Rules) => string[];
};
const manifest = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
const rules = JSON.parse(read('scripts/dependencies.json')) as Rules;
const lockWith = (place: string, entry: object): Lock => {
  const lock = JSON.parse(read('package-lock.json')) as Lock;
  return { packages: { ...lock.packages, [place]: entry } };
};
const sound = { version: '1.0.0', integrity: 'sha512-x', license: 'MIT' };

test('the dependencies are in order, and each kind of disorder is found', () => {
  expect(problemsOf(manifest, lockWith('node_modules/new', sound), rules)).toEqual([]);
  const found = (entry: object): string[] =>
    problemsOf(manifest, lockWith('node_modules/new', { ...sound, ...entry }), rules);
  expect(found({ license: 'GPL-3.0-only' })).toEqual([expect.stringContaining('under GPL-3.0-only')]);
  expect(found({ license: 'MIT AND GPL-3.0-only' })).toHaveLength(1);
  expect(found({ license: '(GPL-3.0-only OR MIT)' })).toEqual([]);
  expect(found({ license: 'GPL-3.0-only', dev: true })).toEqual([]);
  expect(found({ license: undefined })).toEqual([expect.stringContaining('no licence')]);
  expect(found({ integrity: undefined })).toEqual([expect.stringContaining('no sha512 checksum')]);
  expect(found({ resolved: 'https://registry.example.com/new.tgz' })).toEqual([
    expect.stringContaining('an address'),
  ]);
  expect(found({ hasInstallScript: true })).toEqual([expect.stringContaining('runs a script')]);
  const grown = { ...manifest, dependencies: { ...manifest.dependencies, new: '1.0.0' } };
  expect(problemsOf(grown, lockWith('node_modules/new', sound), rules)).toEqual([
    expect.stringContaining('no reason'),
  ]);
  const shrunk = {
    ...rules,
    reasons: { ...rules.reasons, gone: 'once' },
    installScripts: { ...rules.installScripts, gone: 'once' },
  };
  expect(problemsOf(manifest, lockWith('node_modules/new', sound), shrunk)).toHaveLength(2);
});
