// Holds the imports of src against src/layers.json, where each folder may use those listed before it. `imports`
// names the only folders and files that it uses, `never` those that no folder of the layer uses; a `pure` folder uses no
// module of Node but its hashes. No files import each other in a circle, and no sub-folders of a folder do. `--write` draws
// the list into CONTRIBUTING.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const guide = 'CONTRIBUTING.md';
const [begin, end] = ['<!-- layers: npm run layers -->\n', '<!-- /layers -->'];

const pattern = /^(?:import|export)\b[^;'"]*?['"]([^'"]*)['"]|\bimport\(\s*['"]([^'"]*)['"]/gm;

/** The imports of each file, those of types and by `import()` included. */
function importsOf(paths, read) {
  return new Map(
    paths.map((path) => [
      path,
      [...read(path).matchAll(pattern)].map(([, now, later]) => {
        const name = now ?? later;
        return name.startsWith('.') ? join(dirname(path), name) : name;
      }),
    ]),
  );
}

/** The problems found, a sentence each. */
export function problemsOf(layers, imports) {
  const rules = new Map(
    layers
      .flatMap(({ folders, never = [] }) =>
        Object.entries(folders).map(([name, rule]) => ({ never, ...(rule.about ? rule : {}), name })),
      )
      .map((rule, at) => [rule.name, { ...rule, at }]),
  );
  const ruleOf = (path) => {
    const parts = path.split('/').slice(1);
    return rules.get(parts.slice(0, 2).join('/')) ?? rules.get(parts[0]);
  };
  const isBelow = (path, folders) => folders.some((folder) => `${path}/`.startsWith(`src/${folder}/`));
  const problems = [];
  for (const [path, targets] of imports) {
    const rule = ruleOf(path);
    if (rule === undefined) {
      problems.push(`${path} is in no folder of src/layers.json. Add its folder there`);
      continue;
    }
    rule.used = true;
    for (const to of targets) {
      const target = to.startsWith('src/') && /\.tsx?$/.test(to) ? ruleOf(to) : undefined;
      if (rule.pure && to.startsWith('node:') && to !== 'node:crypto')
        problems.push(`${path} imports ${to}, but ${rule.name} is pure`);
      if (target === undefined || target === rule) continue;
      if (target.at > rule.at)
        problems.push(`${path} imports ${to}, but src/layers.json lists ${target.name} after ${rule.name}`);
      else if ((rule.imports && !isBelow(to, rule.imports)) || isBelow(to, rule.never))
        problems.push(`${path} imports ${to}, which src/layers.json does not allow ${rule.name}`);
    }
  }
  for (const { name, used } of rules.values())
    if (!used) problems.push(`src/layers.json lists ${name}, which does not exist`);
  return [
    ...problems,
    ...circlesOf(imports).map((circle) => `Files import each other in a circle: ${circle.join(', ')}`),
    ...circlesOfFolders(imports, ruleOf).map(
      (circle) => `Sub-folders import each other in a circle: ${circle.join(', ')}`,
    ),
  ];
}

/** Groups of sub-folders of one folder whose files import each other in a circle, also by way of files beside them. */
function circlesOfFolders(imports, ruleOf) {
  const partOf = (path) =>
    path
      .split('/')
      .slice(0, 2 + ruleOf(path)?.name.split('/').length)
      .join('/');
  const parts = new Map();
  for (const [path, targets] of imports) {
    const inside = targets.filter((to) => imports.has(to) && ruleOf(to) === ruleOf(path));
    const part = partOf(path);
    parts.set(part, [...(parts.get(part) ?? []), ...inside.map(partOf).filter((to) => to !== part)]);
  }
  return circlesOf(parts)
    .map((circle) => circle.filter((part) => !imports.has(part)))
    .filter((circle) => circle.length > 1);
}

/** Groups of files that import each other in a circle, by Tarjan's algorithm. */
function circlesOf(imports) {
  const [index, lowest, stack, circles] = [new Map(), new Map(), [], []];
  const visit = (path) => {
    index.set(path, index.size);
    lowest.set(path, index.get(path));
    stack.push(path);
    for (const to of imports.get(path) ?? []) {
      if (!index.has(to)) visit(to);
      if (stack.includes(to)) lowest.set(path, Math.min(lowest.get(path), lowest.get(to)));
    }
    if (lowest.get(path) !== index.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1) circles.push(circle);
  };
  for (const path of imports.keys()) if (!index.has(path)) visit(path);
  return circles;
}

/** The list as CONTRIBUTING shows it. */
export function drawingOf(layers) {
  const width = Math.max(...layers.flatMap(({ folders }) => Object.keys(folders)).map((name) => name.length));
  const lines = layers.flatMap(({ name, folders }) => [
    '',
    name,
    ...Object.entries(folders).map(([folder, rule]) => `  ${folder.padEnd(width)}  ${rule.about ?? rule}`),
  ]);
  return ['```', ...lines.slice(1), '```', ''].join('\n');
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const layers = JSON.parse(readFileSync('src/layers.json', 'utf8'));
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', 'src'];
  const deleted = new Set(
    execFileSync('git', ['ls-files', '--deleted', 'src'], { encoding: 'utf8' }).split('\n'),
  );
  const paths = execFileSync('git', listed, { encoding: 'utf8' })
    .split('\n')
    .filter((path) => /(?<!\.test)\.tsx?$/.test(path) && !deleted.has(path));
  const problems = problemsOf(
    layers,
    importsOf(paths, (path) => readFileSync(path, 'utf8')),
  );
  const text = readFileSync(guide, 'utf8');
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  const drawn = text.slice(0, from) + drawingOf(layers) + text.slice(to);
  if (process.argv.includes('--write')) writeFileSync(guide, drawn);
  else if (drawn !== text)
    problems.push(`${guide} does not show src/layers.json as it is. Run npm run layers`);
  for (const problem of problems) console.error(`${problem}.`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
