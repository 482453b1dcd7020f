import { readdir } from 'node:fs/promises';

const names = (await readdir(new URL('.', import.meta.url), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory() && entry.name !== 'support')
  .map((entry) => entry.name);
const name = process.argv[2] ?? '';
if (!names.includes(name)) {
  console.error(`usage: npm run bench -- ${names.join('|')}`);
  process.exit(2);
}
await import(`./${name}/index.ts`);
