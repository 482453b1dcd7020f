import { type ErrorCode, statusOfCode } from '../../contract/errors.ts';
import { meaningOfCode } from '../openapi/errors.ts';
import { curlExample, keyVariable } from './curl.ts';
import { type Content, type Html, html, phrase } from './html.ts';
import type { Placed } from './operation-section.ts';

interface Chapter {
  id: string;
  title: string;
  text: Html;
  /** Takes the whole width, below the others. */
  wide?: true;
  example?: { title: string; code: Content; command?: true };
}

/** What holds for every operation. `first` is one that answers anybody who has a key. */
export function chapters(base: string, first: Placed | undefined): Chapter[] {
  return [
    {
      id: 'base-url',
      title: 'Base URL',
      text: html`<p>Every path below starts with <code class="base">${base}</code>. Requests and answers are JSON in UTF-8. Most requests refuse fields they do not know. Answers may gain fields, so ignore those you do not know.</p>
<p>Every answer carries <code>x-request-id</code>, which names the request in the logs.</p>`,
    },
    {
      id: 'times',
      title: 'Times',
      text: html`<p>A time is a number, milliseconds since 1 January 1970, UTC, unless its format says <code>date-time</code>.</p>`,
    },
    {
      id: 'authentication',
      title: 'Authentication',
      text: html`<p>Send an API key with every request: <code>Authorization: Bearer sk_…</code>. A key acts as one user in one organization. The first one is printed when the service starts for the first time; the operator makes more with <code>drydock keys</code>.</p>
<p>The examples on this page take the key and the ids from shell variables: <code>$PROJECT_ID</code> stands for <code>{projectId}</code>. Set them once, and every example works as it is.</p>`,
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
      text: html`<p>A list answers <code>items</code> and, while there is more, <code>nextCursor</code>. Send it back as <code>cursor</code>, or as the parameter that the operation has for it, with the same filters to get the next page. On the last page it is absent. A cursor is opaque: do not build or edit one.</p>`,
      example: { title: 'A page', code: '{\n  "items": [ … ],\n  "nextCursor": "…"\n}' },
    },
    {
      id: 'idempotency',
      title: 'Repeating safely',
      text: html`<p>Operations that say so take an <code>Idempotency-Key</code> header of up to 256 characters. Repeat the request with the same key and you get the first answer; nothing happens twice. The same key with another request is refused with <code>409</code>. Keys belong to a user and an operation, and are remembered for a day. A request that failed is not remembered, so its key may be used again.</p>`,
    },
    {
      id: 'rate-limit',
      title: 'Rate limit',
      text: html`<p>Each key may make a number of requests a minute, with short bursts above it; the operator sets both. Beyond that the answer is <code>429</code>. Wait as many seconds as <code>Retry-After</code> says, then go on. Spent credits and daily budgets answer in the same way.</p>`,
    },
    {
      id: 'errors',
      title: 'Errors',
      wide: true,
      text: html`<p>A refusal has one shape. Rely on <code>code</code>, which decides the status; <code>message</code> is for people and may change. <code>details</code> is there when there is more to say.</p>
<table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>${(
        Object.entries(statusOfCode) as [ErrorCode, number][]
      ).map(
        ([code, status]) =>
          html`<tr id="error-${code}"><td>${status}</td><td><code>${code}</code></td><td>${phrase(meaningOfCode[code])}</td></tr>`,
      )}</tbody></table>`,
      example: {
        title: 'A refusal',
        code: JSON.stringify(
          {
            code: 'RATE_LIMITED' satisfies ErrorCode,
            message: 'API key limit exceeded, slow down: try again in 2 s',
            details: { retryAfterMs: 1500 },
          },
          null,
          2,
        ),
      },
    },
  ];
}

/** Short chapters stand side by side; a wide one has its example next to it. */
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
