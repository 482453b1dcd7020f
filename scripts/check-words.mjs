// Refuses sentences that open with a word that hides their subject: in comments, and in the texts of the contract, which
// become OpenAPI and the pages of /docs. Reads the folders it is given, or all code of the project.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** No sentence opens with one of these; the first sentence of a comment or text with none of the second group either. */
const opening = /^(?:What|Whatever|Who|Whoever|Whom|Whose|Those|Nobody|The same|Of one that)\b/;
const firstOpening = /^(?:It|Its|Which|Nothing|None|Of|That|Somebody|One that)\b/;

/** Each comment of a source with its line; comments on consecutive lines are one. */
function* commentsOf(source) {
  let open;
  for (const [index, line] of source.split('\n').entries()) {
    const [, start, text] = /^\s*(\/\/|\/\*\*?|\*(?!\/))\s?(.*?)(?:\*\/)?$/.exec(line) ?? [];
    const continues = open !== undefined && (start === '*' || (start === '//' && open.start === '//'));
    if (open !== undefined && !continues) yield open;
    if (start === undefined || (start === '*' && open === undefined)) open = undefined;
    else if (continues) open.text += ` ${text}`;
    else open = { start, line: index + 1, text };
    if (open?.start.startsWith('/*') && line.trimEnd().endsWith('*/')) {
      yield open;
      open = undefined;
    }
  }
  if (open !== undefined) yield open;
}

/** Each literal of several words, which in the contract is a text somebody reads. */
function* textsOf(source) {
  for (const [index, line] of source.split('\n').entries())
    for (const [, , text] of line.matchAll(/(['"`])((?:(?!\1).)*? (?:(?!\1).)*? (?:(?!\1).)*?)\1/g))
      yield { line: index + 1, text };
}

const sentencesOf = (text) =>
  text.split(/(?<=[.!?]["')]*)\s+/).map((sentence) => sentence.replace(/^[-*\s`"'(]+/, ''));

/** The sentences of a file that the check refuses, each with where it stands. Questions may open as they like. */
export function refusedIn(path, source) {
  const texts = /(^|\/)src\/contract\//.test(path) ? [...textsOf(source)] : [];
  return [...commentsOf(source), ...texts].flatMap(({ line, text }) =>
    sentencesOf(text)
      .filter((sentence) => !sentence.endsWith('?'))
      .filter((sentence, at) => opening.test(sentence) || (at === 0 && firstOpening.test(sentence)))
      .map((sentence) => `${path}:${line}: ${sentence.slice(0, 100)}`),
  );
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...process.argv.slice(2)];
  const paths = execFileSync('git', listed, { encoding: 'utf8' })
    .split('\n')
    .filter((path) => /\.(ts|tsx|mjs|css)$/.test(path) && existsSync(path));
  const refused = paths.toSorted().flatMap((path) => refusedIn(path, readFileSync(path, 'utf8')));
  for (const sentence of refused) console.error(sentence);
  if (refused.length > 0)
    console.error(`${refused.length} sentences hide their subject. Name it, as LANGUAGE says.`);
  process.exitCode = refused.length > 0 ? 1 : 0;
}
