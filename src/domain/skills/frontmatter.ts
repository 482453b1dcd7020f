import { parseDocument } from 'yaml';
import { isStorable } from '../../platform/json/storable.ts';
import { OperatorProblem } from '../../platform/problem.ts';

/** Splits a file into the YAML between the `---` lines and the body. */
export function readFrontmatter(text: string): { fields: Record<string, unknown>; body: string } {
  const [, yaml, body] =
    /^\u{feff}?---[ \t]*\r?\n(?:([^]*?)\r?\n)??---[ \t]*(?:\r?\n([^]*))?$/u.exec(text) ?? [];
  if (!/^\u{feff}?---[ \t]*\r?\n/u.test(text))
    throw new OperatorProblem('SKILL.md must begin with frontmatter: a line ---');
  if (yaml === undefined && body === undefined)
    throw new OperatorProblem('SKILL.md: the frontmatter is not closed by a line ---');
  return { fields: fieldsOf(yaml ?? ''), body: (body ?? '').replace(/^(\r?\n)+/, '') };
}

function fieldsOf(yaml: string): Record<string, unknown> {
  const document = parseDocument(yaml, { prettyErrors: false });
  const [problem] = document.errors;
  if (problem) {
    const line = yaml.slice(0, problem.pos[0]).split('\n').length + 1;
    throw new OperatorProblem(`SKILL.md, line ${line}: ${problem.message}`);
  }
  // Forbids YAML aliases, which could expand a small text enormously.
  const fields: unknown = withoutReferences(() => document.toJS({ maxAliasCount: 0 }));
  if (fields === null) return {};
  if (typeof fields !== 'object' || Array.isArray(fields))
    throw new OperatorProblem('SKILL.md: the frontmatter must contain fields, like name: inspect');
  JSON.stringify(fields, (_key, value: unknown) => {
    if (typeof value === 'string' && !isStorable(value))
      throw new OperatorProblem('SKILL.md: the frontmatter contains a character that cannot be stored');
    return value;
  });
  return fields as Record<string, unknown>;
}

function withoutReferences<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new OperatorProblem('SKILL.md: the frontmatter must not use YAML aliases');
  }
}
