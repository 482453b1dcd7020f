// Writes the bill of materials as a CycloneDX document: the packages inside the bundles, and the runtime dependencies with
// theirs. Checksums come from the lock file; a license that is not on the list ends the build.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { installedWith, publishedDependencies } from './installed.mjs';
import { packageFolders } from './licenses.mjs';

const readJson = async (path) => JSON.parse(await readFile(path, 'utf8'));

export async function sbomOf({ inputs }) {
  const [manifest, lock, rules] = await Promise.all([
    readJson('package.json'),
    readJson('package-lock.json'),
    readJson('scripts/dependencies.json'),
  ]);
  const found = new Map();
  for (const folder of packageFolders(inputs))
    add(found, await componentIn(folder.replace(/^.*?(?=node_modules\/)/, ''), lock, 'bundled'));
  const needed = publishedDependencies(manifest, rules);
  const installed = installedWith(lock, needed);
  for (const [place, entry] of installed) add(found, componentOf(place, entry, entry.license, 'installed'));
  const components = [...found.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const refused = components.filter((component) => !isAllowed(expressionOf(component), rules.licenses));
  if (refused.length > 0)
    throw new Error(
      `No allowed license: ${refused.map((each) => `${each.purl} (${expressionOf(each)})`).join(', ')}`,
    );
  const root = `pkg:npm/${manifest.name}@${manifest.version}`;
  const body = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': root,
        name: manifest.name,
        version: manifest.version,
        licenses: [{ license: { id: manifest.license } }],
        purl: root,
      },
    },
    components,
    dependencies: dependenciesOf(root, needed, installed, components),
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    serialNumber: serialOf(body),
    ...body,
  };
}

/** The words of an expression are joined by OR, of which one is enough, and AND, of which all must be allowed. */
export function isAllowed(expression, allowed) {
  return expression
    .replaceAll(/[()]/g, '')
    .split(/ OR /i)
    .some((choice) => choice.split(/ AND /i).every((id) => allowed.includes(id.trim())));
}

function add(found, component) {
  const known = found.get(component['bom-ref']);
  if (known === undefined) found.set(component['bom-ref'], component);
}

async function componentIn(place, lock, use) {
  const { version, license } = await readJson(`${place}/package.json`);
  return componentOf(place, { ...lock.packages[place], version }, license, use);
}

function componentOf(place, { version, integrity, optional }, license, use) {
  const full = place.replace(/^.*node_modules\//, '');
  const [name, group] = full.split('/').reverse();
  const purl = `pkg:npm/${full.replace('@', '%40')}@${version}`;
  const [, digest] = /^sha512-(.+)$/.exec(integrity ?? '') ?? [];
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group && { group }),
    name,
    version,
    scope: optional ? 'optional' : 'required',
    ...(digest && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
    licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
    purl,
    properties: [{ name: 'drydock:use', value: use }],
  };
}

function expressionOf({ licenses: [{ expression, license }] }) {
  return expression ?? license.id ?? 'none';
}

function dependenciesOf(root, needed, installed, components) {
  const byName = new Map(
    installed.map(([place, { version }]) => {
      const name = place.replace(/^.*node_modules\//, '');
      return [name, `pkg:npm/${name.replace('@', '%40')}@${version}`];
    }),
  );
  const bundled = components
    .filter(({ properties: [use] }) => use.value === 'bundled')
    .map(({ purl }) => purl);
  const direct = Object.keys({ ...needed.dependencies, ...needed.optionalDependencies });
  const refs = (names) => names.flatMap((name) => byName.get(name) ?? []);
  const ofProgram = new Set([...bundled, ...refs(direct)]);
  return [
    { ref: root, dependsOn: [...ofProgram].sort((a, b) => (a < b ? -1 : 1)) },
    ...installed.map(([place, entry]) => ({
      ref: byName.get(place.replace(/^.*node_modules\//, '')),
      dependsOn: refs(Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })).sort(),
    })),
  ];
}

/** A serial number made from the content, so that repeated builds are equal. */
function serialOf(body) {
  const hex = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}
