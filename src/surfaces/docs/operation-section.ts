import type { Access } from '../../contract/operation.ts';
import { refName } from '../common/schema-labels.ts';
import type {
  MediaType,
  OpenApiDocument,
  OperationObject,
  Parameter,
  ResponseObject,
  Schema,
} from '../openapi/types.ts';
import { curlExample } from './curl.ts';
import { type Html, html, prose } from './html.ts';
import type { SchemaTables } from './schema-table.ts';
import { sketch } from './sketch.ts';

/** An operation with its place in the document. */
export interface Placed {
  method: string;
  path: string;
  operation: OperationObject;
}

export interface Setting {
  document: OpenApiDocument;
  tables: SchemaTables;
  /** The address that paths are relative to. */
  base: string;
}

/** Access levels in words. The documentation omits console operations. */
const callers: Partial<Record<Access, string>> = {
  public: 'No authentication',
  key: 'Any API key',
  'directory reader': 'Any API key, or a guest token of the directory',
  'organization member': 'Organization members',
  'organization admin': 'Organization administrators',
  requester: 'The account that created the resource',
  'project viewer': 'Users with access to its project',
  'project member': 'Project members',
  'project member or visitor': 'Project members, and visitors of the study',
  'project admin': 'Project administrators',
  'own or project admin': 'Its owner; if shared, project administrators',
};

/** Maximum lines of an open sketch. Longer ones are folded, so that the next operation stays near. */
const longSketch = 30;

export function operationSection({ method, path, operation }: Placed, setting: Setting): Html {
  const { document, tables, base } = setting;
  const { operationId: id, summary, description, parameters = [], requestBody, responses } = operation;
  const [sentType, body] = mediaOf(requestBody?.content);
  const [status, answer] = successOf(responses);
  const [answerType, { schema }] = mediaOf(answer.content) as [string, MediaType];
  return html`
<article class="op" id="${id}" aria-labelledby="${id}-title">
<div>
<h3 id="${id}-title"><a href="#${id}">${summary}</a></h3>
<p class="route">${badge(method)} <code>${document.servers[0]?.url}${routeText(path)}</code></p>
${description !== undefined && prose(description)}${facts(operation)}${parameterTables(parameters, tables)}${
  requestBody &&
  body &&
  html`<h4>Body <small>${requestBody.required ? 'required' : 'optional'}</small></h4>${
    sentType === json
      ? tables.body(body.schema, 'request')
      : html`<p>${requestBody.description} <span class="t">${sentType}</span></p>`
  }`
}
<h4>Response</h4>
<details class="answer"><summary><b>${status}</b> ${answer.description} <span class="t">${answerType === json ? refName(schema) : answerType}</span></summary>${isBytes(schema) ? '' : tables.body(schema, 'answer')}</details>
<h4>Errors</h4>
<ul class="errors">${errorsOf(operation, document).map(
    ({ status: number, code }) => html`<li><a href="#error-${code}"><b>${number}</b> ${code}</a></li>`,
  )}</ul>
</div>
<div class="examples">
<figure><figcaption>Request</figcaption><pre class="copy"><code>${curlExample(base, method, path, operation)}</code></pre></figure>
${!isBytes(schema) && answerFigure(status, html`${sketch(schema, document.components.schemas)}`)}
</div>
</article>`;
}

const json = 'application/json';

/** The only media type of a request or response. */
function mediaOf(content: Record<string, MediaType> = {}): [string, MediaType | undefined] {
  const [type = '', media] = Object.entries(content)[0] ?? [];
  return [type, media];
}

function isBytes({ format }: Schema): boolean {
  return format === 'binary';
}

export function badge(method: string): Html {
  return html`<b class="m ${method}">${method.toUpperCase()}</b>`;
}

function successOf(responses: OperationObject['responses']): [string, ResponseObject] {
  const found = Object.entries(responses).find(([status]) => status.startsWith('2'));
  // Every operation has an inline successful response.
  return found as [string, ResponseObject];
}

function routeText(path: string): Html {
  const pieces = path.split(/(\{\w+\})/);
  return html`${pieces.map((piece) => (piece.startsWith('{') ? html`<i>${piece}</i>` : piece))}`;
}

function facts(operation: OperationObject): Html {
  const keyed = operation.parameters?.some(({ name }) => name === 'Idempotency-Key');
  return html`<ul class="facts"><li>${callers[operation['x-drydock-access']]}</li>${
    operation['x-drydock-spends'] && html`<li class="spends">Spends credits or a daily budget</li>`
  }${keyed && html`<li><a href="#idempotency">Safe to repeat with an Idempotency-Key</a></li>`}<li><code>${operation.operationId}</code></li></ul>`;
}

const places = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const;

function parameterTables(parameters: readonly Parameter[], tables: SchemaTables): Html[] {
  return places.flatMap(([place, title]) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    return here.length === 0 ? [] : [html`<h4>${title}</h4>${tables.parameters(here)}`];
  });
}

interface DeclaredError {
  status: string;
  code: string;
}

function errorsOf({ responses }: OperationObject, { components }: OpenApiDocument): DeclaredError[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    if (!('$ref' in response)) return [];
    const shared = components.responses[response.$ref.split('/').at(-1) as string];
    const codes = Object.keys(shared?.content[json]?.examples ?? {});
    return codes.map((code) => ({ status, code }));
  });
}

function answerFigure(status: string, shape: Html): Html {
  const open = shape.text.split('\n').length <= longSketch;
  return html`<figure><details${open && html` open`}><summary>Response body, ${status}</summary><pre><code>${shape}</code></pre></details></figure>`;
}
