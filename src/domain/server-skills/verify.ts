import { createHash } from 'node:crypto';
import { skillLimits } from '../../contract/server-skills.ts';
import { readFrontmatter } from '../skills/frontmatter.ts';
import type { SkillEntry, SkillFile } from './entry.ts';
import { SkillRefused } from './refused.ts';

/** Limits of YAML in characters and brackets: parsing is quadratic in the number of keys, and slow for nesting. */
const maxFrontmatter = 16 * 1024;
const maxBrackets = 1000;

/** Refuses bytes whose size or digest differs from the listed file. */
export function verifyFile({ skillUri }: SkillEntry, { uri, digest, size }: SkillFile, bytes: Buffer): void {
  const about = { skillUri, resourceUri: uri };
  if (bytes.length > skillLimits.bytes)
    throw new SkillRefused(
      'too_large',
      `The file has ${bytes.length} bytes; at most ${skillLimits.bytes} are read`,
      about,
    );
  if (size !== undefined && size !== bytes.length)
    throw new SkillRefused('size_mismatch', `The file has ${bytes.length} bytes; the server lists ${size}`, {
      ...about,
      expected: String(size),
      actual: String(bytes.length),
    });
  const actual = `sha256:${sha256(bytes)}`;
  if (actual !== digest)
    throw new SkillRefused(
      'digest_mismatch',
      'The file does not match the listing of the server: its digest differs',
      {
        ...about,
        expected: digest,
        actual,
      },
    );
}

/** Checks that the frontmatter of SKILL.md equals the entry's, and returns the body. */
export function verifyManifest(entry: SkillEntry, bytes: Buffer): string {
  const { skillUri } = entry;
  const text = textOf(bytes);
  if (text === undefined) throw drift(skillUri, 'SKILL.md is not text in UTF-8');
  const { fields, body } = readHead(skillUri, text);
  const difference = differenceBetween(entry.frontmatter, fields);
  if (difference)
    throw drift(
      skillUri,
      `The frontmatter of SKILL.md does not match the listing of the server: ${difference.field} differs`,
      difference,
    );
  return body;
}

function readHead(skillUri: string, text: string): ReturnType<typeof readFrontmatter> {
  const head = text.slice(0, Math.max(0, text.search(/\n---[ \t]*(\r?\n|$)/)));
  if (head.length > maxFrontmatter)
    throw drift(skillUri, `The frontmatter of SKILL.md is longer than ${maxFrontmatter} characters`);
  if (head.replaceAll(/[^[{]/g, '').length > maxBrackets)
    throw drift(skillUri, `The frontmatter of SKILL.md has more than ${maxBrackets} brackets`);
  try {
    return readFrontmatter(text);
  } catch (error) {
    throw drift(skillUri, `The frontmatter cannot be read: ${(error as Error).message}`);
  }
}

/** Decodes UTF-8 strictly; undefined if the bytes are not valid text. */
export function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function drift(skillUri: string, message: string, facts: Partial<Difference> = {}): SkillRefused {
  return new SkillRefused('frontmatter_drift', message, { skillUri, ...facts });
}

interface Difference {
  field: string;
  expected: string;
  actual: string;
}

/** The first differing field. Key order is ignored, element order is not. */
export function differenceBetween(expected: unknown, actual: unknown, field = ''): Difference | undefined {
  if (isRecord(expected) && isRecord(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const path = field === '' ? key : `${field}.${key}`;
      const difference = differenceBetween(own(expected, key), own(actual, key), path);
      if (difference) return difference;
    }
    return undefined;
  }
  return expected === actual ? undefined : { field, expected: shown(expected), actual: shown(actual) };
}

/** Includes arrays, whose keys are indexes. */
function isRecord(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null;
}

function own(value: Record<string, unknown> | unknown[], key: string): unknown {
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 500);
}
