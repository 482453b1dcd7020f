import { z } from 'zod';
import { type ServerSkillRefusal, skillLimits } from '../../contract/server-skills.ts';
import { fileKey, folderName, folderOf } from './address.ts';
import { SkillRefused } from './refused.ts';

const text = z.string().min(1);

const Entry = z.looseObject({
  uri: text,
  frontmatter: z.looseObject({
    name: text
      .max(64)
      .regex(/^[a-z\d]+(-[a-z\d]+)*$/, 'must be lower-case letters, digits and single hyphens'),
    description: text.max(1024),
  }),
});

const File = z.looseObject({ uri: text, digest: text, size: z.number().int().min(0).optional() });

export interface SkillFile {
  uri: string;
  digest: string;
  size?: number | undefined;
}

export interface SkillEntry {
  skillUri: string;
  name: string;
  description: string;
  frontmatter: Record<string, unknown>;
  /** All files by normalized URI, including SKILL.md; empty if the skill cannot be loaded. */
  files: ReadonlyMap<string, SkillFile>;
  /** Why its files must not be read. */
  unloadable?: { reason: UnloadableReason; message: string };
}

type UnloadableReason = Extract<
  ServerSkillRefusal['kind'],
  'no_resources' | 'dynamic_resources' | 'too_many_resources' | 'too_large'
>;

/** Parses an entry of `skills/list` or `skills/get`. Refuses one that violates the extension. */
export function readEntry(value: unknown): SkillEntry {
  const parsed = Entry.safeParse(value);
  if (!parsed.success) throw malformed(uriOf(value), wordsOf(parsed.error));
  const { uri: skillUri, frontmatter, resources } = parsed.data;
  const { name, description } = frontmatter;
  const folder = folderOf(skillUri);
  if (folder === undefined) throw malformed(skillUri, 'its uri is not the address of a SKILL.md in a folder');
  if (folderName(folder) !== name)
    throw new SkillRefused(
      'identity_mismatch',
      `Skill name "${name}" does not match its folder "${folderName(folder)}". Rename one of them`,
      { skillUri, field: 'name', expected: folderName(folder), actual: name },
    );
  const about = { skillUri, name, description, frontmatter };
  const unloadable = problemOf(resources);
  if (unloadable) return { ...about, files: new Map(), unloadable };
  const files = readFiles(skillUri, folder, resources);
  const bytes = [...files.values()].reduce((sum, { size = 0 }) => sum + size, 0);
  if (bytes <= skillLimits.bytes) return { ...about, files };
  const message = `The skill has ${bytes} bytes; at most ${skillLimits.bytes} are read`;
  return { ...about, files: new Map(), unloadable: { reason: 'too_large', message } };
}

/** Reasons against loading that follow from the entry alone. */
function problemOf(resources: unknown): SkillEntry['unloadable'] {
  if (resources === 'dynamic')
    return {
      reason: 'dynamic_resources',
      message: 'The server generates the files of this skill dynamically, so they cannot be verified',
    };
  if (resources === undefined || (Array.isArray(resources) && resources.length === 0))
    return { reason: 'no_resources', message: 'The server lists no files of this skill, not even SKILL.md' };
  if (Array.isArray(resources) && resources.length > skillLimits.files)
    return {
      reason: 'too_many_resources',
      message: `The skill has ${resources.length} files; at most ${skillLimits.files} are read`,
    };
  return undefined;
}

function readFiles(skillUri: string, folder: string, resources: unknown): Map<string, SkillFile> {
  const parsed = z.array(File).safeParse(resources);
  if (!parsed.success) throw malformed(skillUri, `resources: ${wordsOf(parsed.error)}`);
  const files = new Map<string, SkillFile>();
  for (const { uri, digest, size } of parsed.data) {
    const key = fileKey(uri);
    if (key === undefined || !key.startsWith(`${folder}/`))
      throw malformed(skillUri, `it lists ${uri.slice(0, 500)}, which is not in its folder`);
    if (files.has(key)) throw malformed(skillUri, `it lists ${uri.slice(0, 500)} more than once`);
    if (!/^sha256:[\da-f]{64}$/.test(digest))
      throw new SkillRefused(
        'unsupported_digest',
        'A digest must be sha256: and 64 hexadecimal digits in lower case',
        { skillUri, resourceUri: uri, expected: 'sha256:…', actual: digest.slice(0, 200) },
      );
    files.set(key, { uri, digest, size });
  }
  return files;
}

function malformed(skillUri: string | undefined, why: string): SkillRefused {
  const message = `The entry of the server does not follow the skills extension: ${why}`;
  return new SkillRefused('fetch_failed', message, skillUri === undefined ? {} : { skillUri });
}

function uriOf(value: unknown): string | undefined {
  const uri = (value as { uri?: unknown } | null)?.uri;
  return typeof uri === 'string' ? uri : undefined;
}

function wordsOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'entry'}: ${issue?.message}`;
}
