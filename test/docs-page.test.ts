import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ErrorBody, statusOfCode } from '../src/contract/errors.ts';
import { operationList } from '../src/contract/index.ts';
import { escapeHtml, html } from '../src/surfaces/docs/html.ts';
import { renderPage } from '../src/surfaces/docs/page.ts';
import { registerDocs } from '../src/surfaces/docs/routes.ts';
import { openApiDocument } from '../src/surfaces/openapi/document.ts';
import type { OpenApiDocument } from '../src/surfaces/openapi/types.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let response: Response;
let page: string;

beforeAll(async () => {
  service = await startTestService();
  response = await fetch(`${service.origin}/docs`);
  page = await response.text();
});
afterAll(() => dispose(service));

test('the reference is a page anyone may read', () => {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test.each(operationList)('$id is on the page and in its navigation', ({ id, method, path, summary }) => {
  const article = new RegExp(`<article [^>]*id="${id}"[^]*?</article>`).exec(page)?.[0] ?? '';
  expect(article).toContain(escapeHtml(summary));
  expect(wordsOf(article)).toContain(`${method} /api/v1${path}`);
  const nav = /<nav [^]*?<\/nav>/.exec(page)?.[0] ?? '';
  expect(nav).toContain(`href="#${id}"`);
});

test('every code is explained with its status', () => {
  for (const [code, status] of Object.entries(statusOfCode))
    expect(page).toContain(`<tr id="error-${code}"><td>${status}</td>`);
});

test('every anchor has a target, and no id is used twice', () => {
  const ids = attributes('id');
  expect(new Set(ids).size).toBe(ids.length);
  const targets = attributes('href').filter((href) => href.startsWith('#'));
  expect(targets.filter((href) => !ids.includes(href.slice(1)))).toEqual([]);
});

test('nothing is loaded from another origin', () => {
  const links = [...attributes('href'), ...attributes('src')].filter((link) => !link.startsWith('#'));
  const own = /^(?:data:|docs\/guides\/[a-z-]+$)/;
  expect(links.filter((link) => !own.test(link))).toEqual([`${service.running.baseUrl}/openapi.json`]);
  expect(page).not.toMatch(/url\(|@import|<iframe|<object|<embed|srcset=/);
});

test('the content security policy admits the one style and the one script of the page and nothing else', () => {
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  for (const kind of ['style', 'script']) {
    const inline = [...page.matchAll(new RegExp(`<${kind}>([^]*?)</${kind}>`, 'g'))];
    expect(inline).toHaveLength(1);
    const hashes = inline.map(([, text = '']) => createHash('sha256').update(text).digest('base64'));
    expect(policy).toContain(`${kind}-src 'sha256-${hashes[0]}'`);
  }
  expect(page).not.toMatch(/<[^>]+\s(?:on\w+|style)=/);
});

test('what comes from the contract cannot become markup', () => {
  const nasty = `<img src=x onerror=alert(1)>"'&`;
  const spoiled = JSON.parse(JSON.stringify(openApiDocument('/api/v1', '1')), (key, value: unknown) =>
    typeof value === 'string' && !structural.has(key) ? `${value}${nasty}` : value,
  ) as OpenApiDocument;
  spoiled.components.schemas['Me'] = {
    type: 'object',
    properties: { [nasty]: { type: 'string', pattern: nasty, enum: [nasty], default: nasty } },
  };
  const drawn = renderPage(spoiled, { origin: 'http://localhost', style: html``, script: html`` });
  expect(drawn).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;');
  expect(drawn).not.toContain('<img');
  expect(drawn).not.toContain(`"'&`);
});

test('examples use the address the page was asked at, if it means this machine', async () => {
  expect(await baseShownAt('localhost:8080')).toBe('http://localhost:8080/api/v1');
  expect(await baseShownAt('[::1]:4700')).toBe('http://[::1]:4700/api/v1');
  for (const strange of ['drydock.example:8080', 'evil"><script>alert(1)</script>'])
    expect(await baseShownAt(strange)).toBe(`${service.origin}/api/v1`);
});

test('examples use the public address where the operator has given one', async () => {
  const app = fastify();
  registerDocs(app, '/api/v1', 'https://example.com/drydock/');
  const { body } = await app.inject('/docs');
  expect(body).toContain('<code class="base">https://example.com/drydock/api/v1</code>');
});

test('anything else below /docs is not found', async () => {
  const unknown = await fetch(`${service.origin}/docs/x`);
  expect(unknown.status).toBe(404);
  const body = ErrorBody.strict().parse(await unknown.json());
  expect(body).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('No such operation') });
});

/** Strings of the document that are not prose: changing them makes another document. */
const structural = new Set(['$ref', 'type', 'x-drydock-access', 'in', 'operationId', 'code']);

function attributes(name: string): string[] {
  return [...page.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);
}

/** The text a reader sees. */
function wordsOf(markup: string): string {
  return markup.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');
}

/** fetch does not let a caller choose the Host header. */
async function baseShownAt(host: string): Promise<string | undefined> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${service.origin}/docs`, { headers: { host } }, resolve).on('error', reject);
  });
  return /class="base">([^<]*)</.exec(await readText(answer))?.[1];
}
