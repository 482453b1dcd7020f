import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { marked, type Token, type Tokens } from 'marked';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guideList } from '../src/surfaces/docs/guides/list.ts';
import { anchorOf, renderMarkdown } from '../src/surfaces/docs/guides/markdown.ts';
import { pages as rendered } from '../src/surfaces/docs/guides/pages.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
const pages = new Map<string, string>();

beforeAll(async () => {
  service = await startTestService();
  const names = guideList.map(({ name }) => name);
  for (const name of names) pages.set(name, await (await at(`/docs/guides/${name}`)).text());
});
afterAll(() => dispose(service));

const at = (path: string): Promise<Response> => fetch(service.origin + path, { redirect: 'manual' });

test('each guide is a page under the policy of the reference', async () => {
  const [reference, guide] = await Promise.all([at('/docs'), at('/docs/guides/quick-start')]);
  expect(guide.status).toBe(200);
  expect(guide.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = guide.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toBe(reference.headers.get('content-security-policy'));
  const inline = (page: string): string[] => page.match(/<(style|script)>[^]*?<\/\1>/g) ?? [];
  expect(inline(pages.get('quick-start') ?? '')).toEqual(inline(await reference.text()));
  for (const page of pages.values()) expect(page).not.toMatch(/<[^>]+\s(?:on\w+|style)=|<img|<iframe/);
});

test.each(guideList)('$name: its navigation lists every guide, and every link has a target', ({ name }) => {
  const page = pages.get(name) ?? '';
  const nav = /<nav [^]*?<\/nav>/.exec(page)?.[0] ?? '';
  for (const guide of guideList) expect(nav).toContain(`href="${guide.name}"`);
  expect(nav).toContain(`<a href="${name}" aria-current="page">`);
  expect(page).toContain('href="../../docs"');
  const ids = idsOf(page);
  expect(new Set(ids).size).toBe(ids.length);
  const links = [...page.matchAll(/\shref="([^"]*)"/g)].map(([, href = '']) => href);
  expect(links.filter((href) => !leads(href, name))).toEqual([]);
});

function idsOf(page: string): string[] {
  return [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id);
}

/** To this page, to another guide, to the reference, or out of here. */
function leads(href: string, from: string): boolean {
  const [path = '', anchor] = href.split('#');
  if (/^(?:data:|https:)/.test(href) || path.startsWith('../../docs')) return true;
  const page = pages.get(path === '' ? from : path);
  return page !== undefined && (anchor === undefined || idsOf(page).includes(anchor));
}

test('the reference leads to every guide; whoever asks for the guides gets the first', async () => {
  const reference = await (await at('/docs')).text();
  for (const { name } of guideList) expect(reference).toContain(`href="docs/guides/${name}"`);
  const first = await at('/docs/guides');
  expect([first.status, first.headers.get('location')]).toEqual([302, 'guides/quick-start']);
});

test.each(['nothing', 'constructor', '..%2f..%2fREADME', 'quick-start.md'])(
  '%s is no guide',
  async (name) => {
    const answer = await at(`/docs/guides/${name}`);
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
  },
);

test('text cannot become markup, and markup of its own is refused', () => {
  const { body } = renderMarkdown(
    '# A\n\n`<b>` & <https://x.example/?a="b>\n\n```sh a<b.c\n<i>"\n```\n',
    'a',
  );
  expect(body).not.toMatch(/<b>|<i>|a="b/);
  expect(body).toContain('&lt;i&gt;&quot;');
  for (const text of ['<img src=x onerror=alert(1)>', 'a <b>c</b>', '![x](https://x.example/y.png)'])
    expect(() => renderMarkdown(`# A\n\n${text}`, 'a')).toThrow('docs/a.md: no ');
  for (const href of [
    'javascript:alert(1)',
    'other.md',
    '../README.md',
    'http://x.example',
    'data:text/html,x',
  ])
    expect(() => renderMarkdown(`# A\n\n[b](${href})`, 'a')).toThrow('leads to no guide');
});

test('the program has the pages in it, and no library for Markdown', () => {
  const program = new URL('../dist/program/', import.meta.url).pathname;
  const modules = readdirSync(program).filter((name) => name.endsWith('.js'));
  const texts = modules.map((name) => readFileSync(join(program, name), 'utf8'));
  const [, opening = ''] = /<p>(.*)/.exec(rendered['quick-start']?.body ?? '') ?? [];
  const holding = texts.filter((text) => opening !== '' && text.includes(opening));
  expect(holding).toHaveLength(1);
  expect(texts.filter((text) => /from "marked"|node_modules\/marked/.test(text))).toEqual([]);
});

/** The README, the pages beside it and all below docs/: read on a code host, links lead somewhere. */
const readable = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

test.each(readable)('the links in %s lead somewhere', (file) => {
  const links: string[] = [];
  void marked.walkTokens(marked.lexer(readFileSync(file, 'utf8')), (token: Token) => {
    if (token.type === 'link') links.push(token['href'] as string);
  });
  const broken = links
    .filter((href) => !/^https?:/.test(href))
    .filter((href) => {
      const [path = '', anchor] = href.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      return !existsSync(target) || (anchor !== undefined && !anchorsIn(target).includes(anchor));
    });
  expect(broken).toEqual([]);
});

test('the tests that the threat model names are there', () => {
  const table = readFileSync('docs/security.md', 'utf8').split('| Attacker |')[1]?.split('\n\n')[0] ?? '';
  const named = table.split('\n').flatMap(
    (row) =>
      row
        .split('|')
        .at(-2)
        ?.match(/`[^`]+`/g) ?? [],
  );
  const files = named
    .map((name) => name.slice(1, -1))
    .flatMap((name) =>
      name.includes('/') ? [name] : [`test/${name}${name.includes('.') ? '' : '.test'}.ts`],
    );
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

function anchorsIn(file: string): string[] {
  const taken = new Map<string, number>();
  return marked
    .lexer(readFileSync(file, 'utf8'))
    .filter((token): token is Tokens.Heading => token.type === 'heading')
    .map(({ text }) => anchorOf(text, taken));
}
