// What every change of dependencies is held against, without a network: each direct one has a reason, each package of the
// lock a checksum and no address, what is installed at run time an allowed licence, and install scripts are known.
import { readFileSync } from 'node:fs';
import { isAllowed } from './sbom.mjs';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** What is wrong, a sentence each. */
export function problemsOf(manifest, lock, { licenses, installScripts, reasons }) {
  const direct = Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  });
  const packages = Object.entries(lock.packages).filter(
    ([place, entry]) => place.startsWith('node_modules/') && !entry.link,
  );
  const nameOf = (place) => place.replace(/^.*node_modules\//, '');
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
          `${place} is installed with us under ${license ?? 'no licence'}, which is not on the list`,
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
