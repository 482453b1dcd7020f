import type { OperationObject, Parameter } from '../openapi/types.ts';
import { type Content, type Html, html } from './html.ts';

export const keyVariable = 'DRYDOCK_KEY';

/** A command that runs once the key and the IDs are set as shell variables: `$PROJECT_ID` stands for `{projectId}`. */
export function curlExample(base: string, method: string, path: string, operation: OperationObject): Html {
  const { parameters = [], requestBody, security, responses } = operation;
  const sent = requestBody?.content['application/json'];
  const streams = Object.values(responses).some(
    (one) => 'content' in one && 'text/event-stream' in one.content,
  );
  const lines = [
    html`curl${streams && ' -N'} "<span class="base">${base}</span>${variables(path)}${queryOf(parameters)}"`,
    method !== 'get' && `-X ${method.toUpperCase()}`,
    security === undefined && html`-H "Authorization: Bearer $${keyVariable}"`,
    sent && html`-H "Content-Type: application/json"`,
    sent && html`-d ${withIds(quoted(JSON.stringify(sent.example, null, 2)))}`,
    requestBody && !sent && html`-H "Content-Type: text/html"`,
    requestBody && !sent && '--data-binary @FILE',
  ].filter((line) => line !== false && line !== undefined);
  return html`${lines.map((line, i) => [i > 0 && ' \\\n  ', line])}`;
}

/** A long line may be broken before each part of the path. */
function variables(path: string): Content {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(name)}`);
  return filled.split('/').map((part, i) => (i === 0 ? part : html`<wbr>/${part}`));
}

/** `projectId` is `PROJECT_ID`. */
function variableOf(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function queryOf(parameters: readonly Parameter[]): string {
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const pairs = needed.map(({ name, schema }) => {
    const [first] = schema.enum ?? [];
    return `${name}=${typeof first === 'string' ? encodeURIComponent(first) : `$${variableOf(name)}`}`;
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Ends the single quotes around each variable, because a shell does not expand variables inside of them. */
function withIds(word: string): string {
  return word.replaceAll(/\{(\w+)\}/g, (_, name: string) => `'"$${variableOf(name)}"'`);
}

/** Quotes text as one word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
