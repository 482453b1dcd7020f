import { operationManifest } from './manifest.ts';

const usual = ['list', 'get', 'create', 'update', 'delete'];
/** Characters for the summary after the name, on a terminal of 80 columns. */
const room = 56;

/** Groups of generated commands with their verbs. Groups that contain only aliases are hidden. */
export const operationGroups: Record<string, { summary: string; hidden: boolean }> = Object.fromEntries(
  Object.keys(operationManifest.groups).map((name) => {
    const all = operationManifest.commands.filter(({ group }) => group === name);
    const shown = all.filter(({ hidden }) => !hidden);
    const offered = shown.length > 0 ? shown : all;
    return [
      name,
      {
        summary: shortened(offered.map(({ verb }) => verb).toSorted((a, b) => rank(a) - rank(b))),
        hidden: shown.length === 0,
      },
    ];
  }),
);

function rank(verb: string): number {
  return usual.includes(verb) ? usual.indexOf(verb) : usual.length;
}

function shortened(verbs: readonly string[]): string {
  const all = verbs.join(', ');
  if (all.length <= room) return all;
  return `${all.slice(0, all.lastIndexOf(', ', room - 3))}, …`;
}
