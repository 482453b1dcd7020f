import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { Drydock, type Outcome } from './support/process.ts';

/** The software bill of materials, and the rules for changes of dependencies. */

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const schemas = 'node_modules/@cyclonedx/cyclonedx-library/res/schema';
const manifest = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
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
  const direct = Object.keys(manifest.dependencies);
  expect(direct.length).toBeGreaterThan(30);
  expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(direct));
  // Each text begins with the name, version and license of its package.
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
const { includesVersion, misplacedIn, problemsOf } = (await import(
  new URL('../scripts/check-dependencies.mjs', import.meta.url).href
)) as {
  includesVersion: (range: string, version: string) => boolean;
  misplacedIn: (manifest: object, rules: object, bundled: string[], loaded: string[]) => string[];
  problemsOf: (manifest: object, lock: Lock, rules: Rules) => string[];
};
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
  expect(found({ license: undefined })).toEqual([expect.stringContaining('no license')]);
  expect(found({ integrity: undefined })).toEqual([expect.stringContaining('no sha512 checksum')]);
  expect(found({ resolved: 'https://registry.example.com/new.tgz' })).toEqual([
    expect.stringContaining('an address'),
  ]);
  expect(found({ engines: { node: '>=20' } })).toEqual([]);
  expect(found({ engines: { node: '>=22' } })).toEqual([expect.stringContaining('needs Node >=22')]);
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

test('what is shipped stands in dependencies, what only builds or tests in devDependencies', () => {
  const notBundled = { installed: 'reason' };
  const lists = { dependencies: { bundled: '1', installed: '1' }, devDependencies: { tool: '1' } };
  const misplaced = (bundled: string[], loaded: string[]): string[] =>
    misplacedIn(lists, { notBundled }, bundled, loaded);
  expect(misplaced(['bundled', 'of-another'], ['installed'])).toEqual([]);
  expect(misplaced(['bundled', 'tool'], [])).toEqual(['tool is bundled: move it to dependencies']);
  expect(misplaced([], [])).toEqual(['bundled is not in the program: move it to devDependencies']);
  expect(misplaced(['bundled'], ['tool'])).toEqual([expect.stringContaining('tool is loaded at run time')]);
});

test.each([
  ['>=20', true],
  ['>= 20.19.0', true],
  ['>=20.19.1', false],
  ['>=18 <20', false],
  ['^18.17.0 || >=20.5.0', true],
  ['^20.19.0 || >=22.12.0', true],
  ['^22.0.0', false],
  ['20 || 22', true],
  ['20.x', true],
  ['~20.18.1', false],
  ['*', true],
  ['>20', true],
])('whether %s includes 20.19', (range, included) => {
  expect(includesVersion(range, '20.19')).toBe(included);
});
