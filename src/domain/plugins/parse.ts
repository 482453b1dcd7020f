import { z } from 'zod';
import { Refusal } from '../../contract/errors.ts';
import { createProjectServer } from '../../contract/servers.ts';
import { Name } from '../../contract/text.ts';
import { isStorable } from '../../platform/database/database.ts';
import type { PluginVersionRow } from '../../platform/database/queries/plugins.ts';
import type { SkillText } from '../../platform/database/queries/skills.ts';
import { type Files, type FolderBounds, hashOf } from '../../platform/folder.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import type { Services } from '../context.ts';
import { checkAddress, checkTransport } from '../servers/rules.ts';
import { parseSkill } from '../skills/parse.ts';

export const pluginBounds: FolderBounds = { files: 1000, bytes: 50 * 1024 * 1024 };

const mostComponents = 100;
const manifestFile = 'plugin.json';

const Manifest = z.looseObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Write it in lower case, with hyphens between words'),
  displayName: Name.optional(),
  description: z
    .string()
    .max(5000)

    .optional(),
  version: Name.pipe(z.string().max(64)).optional(),
  servers: z
    .record(
      z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'A key is up to 64 letters, digits, dots and hyphens'),
      z.strictObject({
        url: z.unknown().optional(),
        headers: z.unknown().optional(),
        command: z.unknown().optional(),
        args: z.unknown().optional(),
        env: z.unknown().optional(),
      }),
    )
    .default({}),
});

/** A server of a bundle, checked like one that is saved over the API. */
export interface DeclaredServer {
  key: string;
  name: string;
  url: string | undefined;
  command: string | undefined;
  args: string[] | undefined;
  headers: Record<string, string> | undefined;
  env: Record<string, string> | undefined;
}

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

/** A plugin from the files of its folder, by paths relative to it. All of it is good, or none is taken. */
export async function parseBundle(
  services: Pick<Services, 'trust' | 'db'>,
  files: Files,
  veil: (secret: string) => string,
): Promise<Bundle> {
  const text = files.get(manifestFile);
  if (!text) throw new OperatorProblem(`The folder holds no ${manifestFile}`);
  const { name, displayName, description, version, servers: declared, ...unknown } = readManifest(text);
  const servers: DeclaredServer[] = [];
  for (const [key, fields] of Object.entries(declared))
    servers.push({ key, ...(await serverOf(services, key, { name: `${name}:${key}`, ...fields })) });
  // Hashes are shown, and must not help to guess a weak secret.
  const shown = servers.some(({ headers, env }) => headers ?? env) ? withVeil(text, servers, veil) : text;
  const skills = skillsOf(files);
  for (const components of [servers, skills])
    if (components.length > mostComponents)
      throw new OperatorProblem(`A plugin brings at most ${mostComponents} servers and as many skills`);
  const below = (folder: string): number =>
    [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).length;
  return {
    name,
    displayName,
    description,
    version,
    bundleHash: hashOf([...files].map(([path, content]) => [path, path === manifestFile ? shown : content])),
    manifestHash: hashOf([[manifestFile, shown]]),
    counts: {
      skills: skills.length,
      servers: servers.length,
      apps: below('apps'),
      assets: below('assets'),
      unsupported: Object.keys(unknown).length + unknownFolders(files).size,
    },
    servers,
    skills,
  };
}

function withVeil(text: Buffer, servers: DeclaredServer[], veil: (secret: string) => string): string {
  const secrets = servers.flatMap(({ headers = {}, env = {} }) => [
    ...Object.values(headers),
    ...Object.values(env),
  ]);
  const veiled = new Map(secrets.map((secret) => [secret, veil(secret)]));
  return JSON.stringify(JSON.parse(text.toString('utf8')), (_key, value: unknown) =>
    typeof value === 'string' ? (veiled.get(value) ?? value) : value,
  );
}

function readManifest(bytes: Buffer): z.output<typeof Manifest> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), (key, value: unknown) => {
      if (!isStorable(key) || (typeof value === 'string' && !isStorable(value))) throw new SyntaxError();
      return value;
    });
  } catch {
    // The parser would quote the text, and there may be secrets in it.
    throw new OperatorProblem(`${manifestFile} is not JSON in UTF-8, without NUL`);
  }
  const manifest = Manifest.safeParse(json);
  if (manifest.success) return manifest.data;
  throw new OperatorProblem(`${manifestFile}: ${firstIssue(manifest.error)}`);
}

async function serverOf(
  services: Pick<Services, 'trust' | 'db'>,
  key: string,
  fields: { name: string; url?: unknown; command?: unknown },
): Promise<Omit<DeclaredServer, 'key'>> {
  const wrong = (why: string) => new OperatorProblem(`${manifestFile}: the server ${key}: ${why}`);
  if (fields.url === undefined && fields.command === undefined)
    throw wrong('Give it a `url`, or a `command` to run');
  const parsed = createProjectServer.body.safeParse(fields);
  if (!parsed.success) throw wrong(firstIssue(parsed.error));
  const { name, url, command, args, headers, env } = parsed.data;
  try {
    await checkTransport(services, command === undefined ? 'http' : 'stdio');
    await checkAddress(services, url ?? null);
  } catch (error) {
    throw error instanceof Refusal ? wrong(error.message) : error;
  }
  return { name, url, command, args, headers, env };
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

/** Folders of a bundle that we make nothing of. */
function unknownFolders(files: Files): Set<string> {
  const folders = [...files.keys()].filter((path) => path.includes('/')).map((path) => path.split('/')[0]);
  return new Set(folders.filter((name) => name !== undefined && !known.has(name)) as string[]);
}
const known = new Set(['skills', 'apps', 'assets']);

/** Without the value, which may be a secret. */
function firstIssue({ issues }: z.ZodError): string {
  const [outer] = issues;
  // What is wrong with a key is said one level down.
  const issue = outer?.code === 'invalid_key' ? { ...outer, message: outer.issues[0]?.message } : outer;
  const where = issue?.path.join('.') ?? '';
  return where === '' ? (issue?.message ?? '') : `${where}: ${issue?.message}`;
}
