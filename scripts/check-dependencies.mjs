// Checks dependencies without a network: each direct one has a reason, each package of the lock a checksum, no address and
// engines that include our oldest Node, each shipped package an allowed license, and install scripts are known.
// `dependencies` of the manifest are shipped, bundled or installed; `devDependencies` only build and test.
import { readFileSync } from 'node:fs';
import { isAllowed } from './sbom.mjs';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

export const nameOf = (place) => place.replace(/^.*node_modules\//, '');

/**
 * Direct dependencies that stand in the wrong list, a sentence each. `bundled` are the names of the packages whose code is
 * in the bundles, `loaded` those that the program imports at run time.
 */
export function misplacedIn({ dependencies, devDependencies }, { notBundled }, bundled, loaded) {
  return [
    ...Object.keys(devDependencies)
      .filter((name) => bundled.includes(name))
      .map((name) => `${name} is bundled: move it to dependencies`),
    ...Object.keys(dependencies)
      .filter((name) => !bundled.includes(name) && !notBundled[name])
      .map((name) => `${name} is not in the program: move it to devDependencies`),
    ...loaded
      .filter((name) => !dependencies[name] || !notBundled[name])
      .map((name) => `${name} is loaded at run time: name it in dependencies and in notBundled`),
  ];
}

/** Whether a range of versions, as in `engines`, includes a version. */
export function includesVersion(range, version) {
  const numbers = (text) => [...text.split('.').map((part) => Number(part)), 0, 0].slice(0, 3);
  const compared = (a, b) => a.map((part, n) => part - b[n]).find((difference) => difference !== 0) ?? 0;
  const holds = (comparator) => {
    const [, sign, text] = /^([<>]=?|[\^~=])?v?([\d.]+)(?:\.x)?$/.exec(comparator) ?? [];
    if (text === undefined) return /^[*x]?$/.test(comparator);
    const difference = compared(numbers(version), numbers(text));
    if (sign === '>=') return difference >= 0;
    if (sign === '>') return difference > 0;
    if (sign === '<') return difference < 0;
    if (sign === '<=') return difference <= 0;
    // The parts that must be equal: the first for ^, the first two for ~, and those that are written otherwise.
    const fixed = { '^': 1, '~': 2 }[sign] ?? text.split('.').length;
    const same = compared(numbers(version).slice(0, fixed), numbers(text).slice(0, fixed)) === 0;
    return same && difference >= 0;
  };
  return range.split('||').some((all) =>
    all
      .replaceAll(/([<>=^~])\s+/g, '$1')
      .trim()
      .split(/\s+/)
      .every(holds),
  );
}

/** The problems found, a sentence each. */
export function problemsOf(manifest, lock, { licenses, installScripts, reasons }) {
  const direct = Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  });
  const packages = Object.entries(lock.packages).filter(
    ([place, entry]) => place.startsWith('node_modules/') && !entry.link,
  );
  const oldest = /[\d.]+/.exec(manifest.engines.node)[0];
  const withScripts = packages.filter(([, entry]) => entry.hasInstallScript).map(([place]) => nameOf(place));
  // A registry mirror may lack builds for other platforms; npm asks whoever installs one of those for it anew.
  const elsewhere = ({ dev, optional, os, cpu }) => dev && optional && (os ?? cpu) !== undefined;
  return [
    ...direct
      .filter((name) => !reasons[name])
      .map((name) => `${name} has no reason in scripts/dependencies.json`),
    ...Object.keys(reasons)
      .filter((name) => !direct.includes(name))
      .map((name) => `${name} has a reason in scripts/dependencies.json and is no dependency`),
    ...packages
      .filter(([, entry]) => !/^sha512-/.test(entry.integrity ?? '') && !elsewhere(entry))
      .map(
        ([place]) => `${place} has no sha512 checksum in package-lock.json: node scripts/complete-lock.mjs`,
      ),
    ...packages
      .filter(([, { resolved }]) => resolved !== undefined)
      .map(([place]) => `${place} has an address in package-lock.json, which others may not reach`),
    ...packages
      .filter(([, { dev, license }]) => !dev && !isAllowed(license ?? 'none', licenses))
      .map(
        ([place, { license }]) =>
          `${place} is shipped with us under ${license ?? 'no license'}, which is not on the list`,
      ),
    ...packages
      .filter(([, { engines }]) => engines?.node && !includesVersion(engines.node, oldest))
      .map(
        ([place, { engines }]) =>
          `${place} needs Node ${engines.node}, and we support ${oldest}: choose another version, or override it`,
      ),
    ...withScripts
      .filter((name) => !installScripts[name])
      .map(
        (name) =>
          `${name} runs a script when it is installed; look at it and give a reason in scripts/dependencies.json`,
      ),
    ...Object.keys(installScripts)
      .filter((name) => !withScripts.includes(name))
      .map((name) => `${name} is on the list of install scripts and has none`),
  ];
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const problems = problemsOf(
    read('package.json'),
    read('package-lock.json'),
    read('scripts/dependencies.json'),
  );
  for (const problem of problems) console.error(`${problem}.`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
