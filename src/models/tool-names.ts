import { createHash } from 'node:crypto';

/** Names that every provider accepts. */
const accepted = /^[A-Za-z0-9_-]{1,64}$/;
const maxLength = 64;

interface ServerTool {
  server: string;
  /** The tool's name on its server. */
  name: string;
}

export interface ToolNames<Tool extends ServerTool> {
  /** In the given order. */
  offered: { name: string; tool: Tool }[];
  /** The tool of an offered name. */
  find: (name: string) => Tool | undefined;
}

/**
 * Chooses unique names for the tools of several servers. A name stays unchanged if providers accept it and no other
 * tool has it. Tools that share a name get the server's name as a prefix, so that the model can distinguish them. The
 * names do not depend on the order of the tools. `taken` are reserved names.
 */
export function nameTools<Tool extends ServerTool>(
  tools: readonly Tool[],
  taken: readonly string[] = [],
): ToolNames<Tool> {
  const same = countOf([...taken, ...tools.map(({ name }) => name)]);
  const wishes = tools.map((tool) => {
    const asIs = accepted.test(tool.name) && same.get(tool.name) === 1;
    return { tool, asIs, name: asIs ? tool.name : wish(tool, same.get(tool.name) !== 1) };
  });
  const wanted = countOf([...taken, ...wishes.map(({ name }) => name)]);
  const free = wishes.filter(({ asIs, name }) => asIs || wanted.get(name) === 1);
  const used = new Set([...taken, ...free.map(({ name }) => name)]);
  const offered = wishes.map(({ tool, asIs, name: wish }) => {
    const name = asIs || wanted.get(wish) === 1 ? wish : marked(wish, tool, used);
    used.add(name);
    return { name, tool };
  });
  const byName = new Map(offered.map(({ name, tool }) => [name, tool]));
  return { offered, find: (name) => byName.get(name) };
}

function countOf(names: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function wish({ server, name }: ServerTool, isShared: boolean): string {
  const plain = (isShared ? `${server}_${name}` : name).replace(/[^A-Za-z0-9_-]+/g, '_');
  if (plain !== '' && plain.length <= maxLength) return plain;
  return `${plain.slice(0, maxLength - 9)}_${hashOf(server, name, 0)}`;
}

/** Adds a hash of the tool. Tools of one server with the same name are distinguished by their position. */
function marked(wanted: string, { server, name }: ServerTool, taken: ReadonlySet<string>): string {
  for (let n = 0; ; n++) {
    const candidate = `${wanted.slice(0, maxLength - 9)}_${hashOf(server, name, n)}`;
    if (!taken.has(candidate)) return candidate;
  }
}

function hashOf(server: string, name: string, n: number): string {
  return createHash('sha256')
    .update(JSON.stringify([server, name, n]))
    .digest('hex')
    .slice(0, 8);
}
