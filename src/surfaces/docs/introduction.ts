import { type ErrorCode, statusOfCode } from '../../contract/errors.ts';
import { meaningOfCode } from '../openapi/errors.ts';
import { curlExample, keyVariable } from './curl.ts';
import { type Content, type Html, html, phrase } from './html.ts';
import type { Placed } from './operation-section.ts';

interface Chapter {
  id: string;
  title: string;
  text: Html;
  /** Whether the chapter takes the whole width, below the others. */
  wide?: true;
  example?: { title: string; code: Content; command?: true };
}

/** Conventions of all operations. `first` is an operation that works with any API key. */
export function chapters(base: string, first: Placed | undefined): Chapter[] {
  return [
    {
      id: 'base-url',
      title: 'Base URL',
      text: html`<p>All paths start with <code class="base">${base}</code>. Requests and responses are JSON in UTF-8. Most requests reject unknown fields. Responses can get new fields, so ignore unknown ones.</p>
<p>Every response has an <code>x-request-id</code> header that identifies the request in the logs.</p>`,
    },
    {
      id: 'times',
      title: 'Times',
      text: html`<p>Times are numbers in epoch milliseconds (UTC), unless their format is <code>date-time</code>.</p>`,
    },
    {
      id: 'authentication',
      title: 'Authentication',
      text: html`<p>Send an API key with every request: <code>Authorization: Bearer sk_…</code>. A key acts as one user in one organization. The first key is printed when the service starts for the first time. Create more in the console or with <code>drydock keys</code>.</p>
<p>The examples on this page use shell variables for the key and for IDs: <code>$PROJECT_ID</code> stands for <code>{projectId}</code>. Set them once to run the examples.</p>`,
      ...(first && {
        example: {
          title: 'A first request',
          command: true,
          code: html`export ${keyVariable}=sk_your_key\n\n${curlExample(base, first.method, first.path, first.operation)}`,
        },
      }),
    },
    {
      id: 'lists',
      title: 'Lists',
      text: html`<p>Lists return <code>items</code> and <code>nextCursor</code>, which is absent on the last page. To get the next page, send it as <code>cursor</code> with the same filters. Cursors are opaque: do not create or edit them.</p>`,
      example: { title: 'A page', code: '{\n  "items": [ … ],\n  "nextCursor": "…"\n}' },
    },
    {
      id: 'idempotency',
      title: 'Idempotency',
      text: html`<p>Operations that document it accept an <code>Idempotency-Key</code> header of up to 256 characters. Repeating a request with the same key returns the first response and has no further effect. Using the key for a different request returns <code>409</code>. Keys are specific to a user and an operation, and are stored for a day. Failed requests are not stored, so their keys can be used again.</p>`,
    },
    {
      id: 'rate-limit',
      title: 'Rate limit',
      text: html`<p>Each API key has a limit of requests per minute with short bursts, set by the operator. Beyond it, requests return <code>429</code>. Wait for the seconds in <code>Retry-After</code>, then retry. Spent credits and daily budgets return <code>429</code> too.</p>`,
    },
    {
      id: 'errors',
      title: 'Errors',
      wide: true,
      text: html`<p>All errors have the same form. Rely on <code>code</code>, which determines the status; <code>message</code> is for people and can change. <code>details</code> is optional.</p>
<table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>${(
        Object.entries(statusOfCode) as [ErrorCode, number][]
      ).map(
        ([code, status]) =>
          html`<tr id="error-${code}"><td>${status}</td><td><code>${code}</code></td><td>${phrase(meaningOfCode[code])}</td></tr>`,
      )}</tbody></table>`,
      example: {
        title: 'An error',
        code: JSON.stringify(
          {
            code: 'RATE_LIMITED' satisfies ErrorCode,
            message: 'Rate limit exceeded (API key). Retry in 2 s',
            details: { retryAfterMs: 1500 },
          },
          null,
          2,
        ),
      },
    },
  ];
}

/** Shows short chapters side by side, and wide ones with their example next to them. */
export function introduction(chapters: readonly Chapter[]): Html {
  const short = chapters.filter(({ wide }) => !wide);
  const wide = chapters.filter((chapter) => chapter.wide);
  return html`
<div class="intro">${short.map(
    (chapter) => html`
<section id="${chapter.id}">${heading(chapter)}${chapter.text}${example(chapter)}</section>`,
  )}
</div>${wide.map(
    (chapter) => html`
<section class="op" id="${chapter.id}"><div>${heading(chapter)}${chapter.text}</div><div class="examples">${example(chapter)}</div></section>`,
  )}`;
}

function heading({ id, title }: Chapter): Html {
  return html`<h2><a href="#${id}">${title}</a></h2>`;
}

function example({ example: shown }: Chapter): Html | undefined {
  return (
    shown &&
    html`<figure><figcaption>${shown.title}</figcaption><pre${shown.command && html` class="copy"`}><code>${shown.code}</code></pre></figure>`
  );
}
