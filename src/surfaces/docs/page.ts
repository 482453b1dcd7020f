import type { OpenApiDocument, OperationObject } from '../openapi/types.ts';
import { frame } from './frame.ts';
import { guideList } from './guides/list.ts';
import { type Content, type Html, html, phrase } from './html.ts';
import { chapters, introduction } from './introduction.ts';
import { badge, operationSection, type Placed } from './operation-section.ts';
import { SchemaTables } from './schema-table.ts';

export interface PageOptions {
  /** Scheme and host that readers reach the service at. */
  origin: string;
  style: Html;
  script: Html;
}

/** Renders the API reference as one page, from the document alone. */
export function renderPage(document: OpenApiDocument, { origin, style, script }: PageOptions): string {
  const base = `${origin}${document.servers[0]?.url ?? ''}`;
  const tables = new SchemaTables(document.components.schemas);
  const operations = operationsOf(document);
  const areas = document.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const general = chapters(base, operations.find(isSimple));
  const body = areas.map(
    ({ name, description, operations: inArea }) => html`
<section class="area" aria-labelledby="${idOf(name)}">
<header><h2 id="${idOf(name)}"><a href="#${idOf(name)}">${name}</a></h2><p>${phrase(description)}</p></header>
${inArea.map((placed) => operationSection(placed, { document, tables, base }))}
</section>`,
  );
  const types = typeSections(tables);
  const { title, version, description } = document.info;
  return frame({
    product: title,
    version,
    title: `${title} API`,
    description: `${title} API reference`,
    filters: 'operations',
    style,
    script,
    nav: html`<ul>${general.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul>
<details open><summary>Guides</summary><ul>${guideList.map((guide) => html`<li><a href="docs/guides/${guide.name}">${guide.title}</a></li>`)}</ul></details>
${areas.map(
  ({ name, operations: inArea }) =>
    html`<details open><summary>${name}</summary><ul>${inArea.map(navItem)}</ul></details>`,
)}
${
  types.length > 0 &&
  html`<details><summary>Types</summary><ul>${types.map(({ name }) => html`<li><a href="#type-${name}">${name}</a></li>`)}</ul></details>`
}`,
    main: html`<header class="top"><h1>${title} API</h1><p>${phrase(description)}</p>
<p><a href="${base}/openapi.json">OpenAPI document</a>, version ${version}. New here? Read the <a href="docs/guides/quick-start">quick start</a>.</p></header>
${introduction(general)}
${body}
${types.length > 0 && html`<section class="area" aria-labelledby="types"><header><h2 id="types"><a href="#types">Types</a></h2><p>Objects in requests and responses.</p></header>${types.map(({ section }) => section)}</section>`}`,
  });
}

function operationsOf({ paths }: OpenApiDocument): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]: [string, OperationObject]) => ({
      method,
      path,
      operation,
    })),
  );
}

function isSimple({ method, operation }: Placed): boolean {
  return method === 'get' && operation['x-drydock-access'] === 'key' && !operation.parameters;
}

function idOf(area: string): string {
  return `area-${area.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}

function navItem({ method, operation }: Placed): Html {
  return html`<li><a href="#${operation.operationId}">${badge(method)}<span>${operation.summary}</span></a></li>`;
}

/** Rendering a type can link further ones, so the set grows during the iteration. */
function typeSections(tables: SchemaTables): { name: string; section: Content }[] {
  const sections: { name: string; section: Content }[] = [];
  for (const name of tables.linked)
    sections.push({
      name,
      section: html`
<article class="type" id="type-${name}"><h3><a href="#type-${name}">${name}</a></h3>${tables.body({ $ref: `#/components/schemas/${name}` }, 'answer')}</article>`,
    });
  return sections.sort((a, b) => (a.name < b.name ? -1 : 1));
}
