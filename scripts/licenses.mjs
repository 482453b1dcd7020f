// Collects the licenses of bundled packages, which require that their text is distributed with the bundle.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The text for every package that went into a bundle, from esbuild's account of it. */
export async function licensesOf({ inputs }) {
  const texts = await Promise.all(packageFolders(inputs).map(licenseIn));
  const line = `\n${'-'.repeat(80)}\n\n`;
  return `The program contains these packages.\n${line}${[...new Set(texts)].join(line)}`;
}

/** Where each package is that a part of a bundle came from. */
export function packageFolders(inputs) {
  const folders = Object.keys(inputs).flatMap((path) => packageOf(path) ?? []);
  return [...new Set(folders)].sort();
}

function packageOf(path) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

async function licenseIn(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (!license) throw new Error(`${name} is bundled and says nothing about its license`);
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const by = typeof author === 'string' ? author : author?.name;
  if (texts.length === 0) texts.push(`${by ? `By ${by}. ` : ''}The package has no copy of its license.`);
  return `${name} ${version} (${license})\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
}
