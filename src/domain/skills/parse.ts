import { z } from 'zod';
import { Name } from '../../contract/fields.ts';
import type { SkillText } from '../../platform/database/queries/skills.ts';
import { type Files, type FolderBounds, hashOf } from '../../platform/folder.ts';
import { isStorable } from '../../platform/json/storable.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { readFrontmatter } from './frontmatter.ts';

/** Bytes of SKILL.md, number of supporting files, and bytes of all files together. */
const limits = { text: 256 * 1024, files: 50, bytes: 5 * 1024 * 1024 };

/** Limits of the folder: SKILL.md and its supporting files. */
export const skillBounds: FolderBounds = { files: limits.files + 1, bytes: limits.bytes };

const text = (name: string) => `${name} must be a text; put it in quotes if it looks like something else`;
const Head = z.looseObject({
  name: z.string(text('name')).pipe(Name),
  description: z.string(text('description')).trim().min(1).max(1024),
});

/** Parses a skill from the files of its folder, by relative path. */
export function parseSkill(files: Files): SkillText {
  const { 'SKILL.md': main, ...others } = Object.fromEntries(files);
  if (!main) throw new OperatorProblem('The folder contains no SKILL.md');
  if (main.length > limits.text) throw new OperatorProblem(`SKILL.md is larger than ${limits.text} bytes`);
  const supporting = Object.entries(others);
  if (supporting.length > limits.files)
    throw new OperatorProblem(`A skill may have at most ${limits.files} supporting files`);
  if (supporting.reduce((sum, [, content]) => sum + content.length, main.length) > limits.bytes)
    throw new OperatorProblem(`A skill may be at most ${limits.bytes} bytes`);
  const { fields, body } = readFrontmatter(textOf(main));
  const head = Head.safeParse(fields);
  if (!head.success) {
    const [issue] = head.error.issues;
    throw new OperatorProblem(`SKILL.md: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { name, description, ...frontmatter } = head.data;
  return {
    name,
    description,
    content: body,
    frontmatter,
    aggregateHash: hashOf([['SKILL.md', body], ...supporting]),
    files: new Map(supporting),
  };
}

function textOf(bytes: Buffer): string {
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (isStorable(decoded)) return decoded;
  } catch {
    // Refused below.
  }
  throw new OperatorProblem('SKILL.md is not text in UTF-8');
}
