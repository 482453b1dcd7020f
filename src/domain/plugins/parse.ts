import { z } from 'zod';
import { Name } from '../../contract/fields.ts';
import type { PluginVersionRow } from '../../platform/database/queries/plugins.ts';
import type { SkillText } from '../../platform/database/queries/skills.ts';
import { type Files, type FolderBounds, hashOf } from '../../platform/folder.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import type { Services } from '../context/context.ts';
import { parseSkill } from '../skills/parse.ts';
import { readJsonFile } from './json-file.ts';
import { type DeclaredServer, declaredServer, ServerEntries } from './servers.ts';

export const pluginBounds: FolderBounds = { files: 1000, bytes: 50 * 1024 * 1024 };

const maxComponents = 100;
const manifestFile = 'plugin.json';
const serversFile = 'mcp.json';

const Manifest = z.looseObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Write it in lower case, with hyphens between words'),
  displayName: Name.optional(),
  description: z.string().max(5000).optional(),
  version: Name.pipe(z.string().max(64)).optional(),
  servers: ServerEntries.default({}),
});

/** The `mcp.json` format shared by many tools. */
const ServersFile = z.looseObject({ mcpServers: ServerEntries });

export interface DeclaredSkill {
  key: string;
  skill: SkillText;
}

export interface Bundle {
  name: string;
  displayName: string | undefined;
  description: string | undefined;
  version: string | undefined;
  bundleHash: string;
  manifestHash: string;
  counts: PluginVersionRow['componentCounts'];
  servers: DeclaredServer[];
  skills: DeclaredSkill[];
}

/** Parses a plugin from the files of its folder, by relative path. Any invalid part refuses the whole bundle. */
export async function parseBundle(
  services: Pick<Services, 'trust' | 'db'>,
  files: Files,
  fingerprint: (secret: string) => string,
): Promise<Bundle> {
  const text = files.get(manifestFile);
  if (!text) throw new OperatorProblem(`The folder contains no ${manifestFile}`);
  const manifest = readJsonFile(manifestFile, text, Manifest);
  const { name, displayName, description, version, servers: ownEntries, ...unknown } = manifest;
  const { mcpServers: sharedEntries, ...unknownShared } = serversFileOf(files);
  const read = async (file: string, entries: z.output<typeof ServerEntries>): Promise<DeclaredServer[]> => {
    const servers: DeclaredServer[] = [];
    for (const [key, entry] of Object.entries(entries))
      servers.push(await declaredServer(services, { file, plugin: name, key }, entry));
    return servers;
  };
  const own = await read(manifestFile, ownEntries);
  const shared = await read(serversFile, sharedEntries);
  // If both files declare a server, the plugin manifest wins: it was written for Drydock, `mcp.json` for any tool.
  const servers = [...own, ...shared.filter(({ key }) => !Object.hasOwn(ownEntries, key))];
  const skills = skillsOf(files);
  for (const components of [servers, skills])
    if (components.length > maxComponents)
      throw new OperatorProblem(
        `A plugin may contain at most ${maxComponents} servers and ${maxComponents} skills`,
      );
  const shown = withoutSecrets(files, [...own, ...shared], fingerprint);
  const below = (folder: string): number =>
    [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).length;
  return {
    name,
    displayName,
    description,
    version,
    bundleHash: hashOf([...files].map(([path, content]) => [path, shown.get(path) ?? content])),
    manifestHash: hashOf([[manifestFile, shown.get(manifestFile) ?? text]]),
    counts: {
      skills: skills.length,
      servers: servers.length,
      apps: below('apps'),
      assets: below('assets'),
      unsupported:
        Object.keys(unknown).length + Object.keys(unknownShared).length + unknownFolders(files).size,
    },
    servers,
    skills,
  };
}

function serversFileOf(files: Files): z.output<typeof ServersFile> {
  const text = files.get(serversFile);
  return text ? readJsonFile(serversFile, text, ServersFile) : { mcpServers: {} };
}

/**
 * Replaces secrets by keyed fingerprints before hashing. The hash is shown, and must not help to guess a weak secret.
 */
function withoutSecrets(
  files: Files,
  servers: DeclaredServer[],
  fingerprint: (secret: string) => string,
): Map<string, string> {
  const shown = new Map<string, string>();
  if (!servers.some(({ headers, env }) => headers ?? env)) return shown;
  const secrets = servers.flatMap(({ headers = {}, env = {} }) => [
    ...Object.values(headers),
    ...Object.values(env),
  ]);
  const fingerprints = new Map(secrets.map((secret) => [secret, fingerprint(secret)]));
  for (const file of [manifestFile, serversFile]) {
    const bytes = files.get(file);
    if (!bytes) continue;
    const json: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const text = JSON.stringify(json, (_key, value: unknown) =>
      typeof value === 'string' ? (fingerprints.get(value) ?? value) : value,
    );
    shown.set(file, text);
  }
  return shown;
}

function skillsOf(files: Files): DeclaredSkill[] {
  const folders = new Map<string, Map<string, Buffer>>();
  for (const [path, content] of files) {
    const [, key, rest] = /^skills\/([^/]+)\/(.+)$/s.exec(path) ?? [];
    if (key === undefined || rest === undefined) continue;
    const folder = folders.get(key) ?? new Map<string, Buffer>();
    folders.set(key, folder.set(rest, content));
  }
  const keyOf = new Map<string, string>();
  return [...folders].map(([key, own]) => {
    const skill = readSkill(key, own);
    const other = keyOf.get(skill.name);
    if (other !== undefined)
      throw new OperatorProblem(`skills/${other} and skills/${key} have the same name ${skill.name}`);
    keyOf.set(skill.name, key);
    return { key, skill };
  });
}

function readSkill(key: string, files: Files): SkillText {
  try {
    return parseSkill(files);
  } catch (error) {
    throw error instanceof OperatorProblem ? new OperatorProblem(`skills/${key}: ${error.message}`) : error;
  }
}

/** Folders of a bundle that Drydock does not use. */
function unknownFolders(files: Files): Set<string> {
  const folders = [...files.keys()].filter((path) => path.includes('/')).map((path) => path.split('/')[0]);
  return new Set(folders.filter((name) => name !== undefined && !known.has(name)) as string[]);
}
const known = new Set(['skills', 'apps', 'assets']);
