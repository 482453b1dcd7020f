// Tables made from the contract, and pages made from docs/, are made by the build: whoever uses one loads neither the
// contract and its schemas nor a library for Markdown.
const made =
  /src\/(contract\/routes|surfaces\/(client\/((console|visit)-)?operations|cli\/operations\/(manifest|groups)|cli\/completion\/table|docs\/guides\/pages|console\/app\/(api-example\/commands|pages\/suites\/editor\/schemas)))\.ts$/;

async function tableOf(path) {
  return Object.entries(await import(path))
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join('\n');
}

export const tablesForEsbuild = {
  name: 'tables',
  setup: ({ onLoad }) => onLoad({ filter: made }, async ({ path }) => ({ contents: await tableOf(path) })),
};

export const tablesForVite = {
  name: 'tables',
  enforce: 'pre',
  load: (id) => (made.test(id) ? tableOf(id) : null),
};
