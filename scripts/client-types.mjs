// Writes the types of the client for the package: the calls with their inputs and answers, from the OpenAPI document
// that the contract gives. In the sources the compiler infers them from the schemas, which takes it seconds for whoever
// uses the package and shows them no names; written out they take a moment, and carry their descriptions.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const reference = '#/components/schemas/';

/** Makes what the compiler has written in `folder` fit to be published, and adds the calls of the document. */
export async function writeClientTypes(folder, document) {
  const own = { 'calls.d.ts': callsOf(document), 'schemas.d.ts': schemasOf(document) };
  const compiled = (await readdir(folder)).filter((name) => name.endsWith('.d.ts'));
  for (const name of compiled) {
    const text = await readFile(join(folder, name), 'utf8');
    const published = text.replaceAll(/(from '[^']+)\.ts'/g, "$1.js'");
    for (const [, from] of published.matchAll(/from '([^']+)'/g))
      if (![...compiled, ...Object.keys(own)].includes(from.replace(/^\.\/(.+)\.js$/, '$1.d.ts')))
        throw new Error(`${name} would have users load ${from}`);
    await writeFile(join(folder, name), published);
  }
  for (const [name, text] of Object.entries(own)) await writeFile(join(folder, name), text);
}

function schemasOf({ components }) {
  // Refusals are thrown, as a class of their own.
  const { Error: _, ...schemas } = components.schemas;
  return Object.entries(schemas)
    .map(
      ([name, schema]) =>
        `${comment(schema.description)}export type ${name} = ${typeOf(schema, '', local)};\n`,
    )
    .join('\n');
}

function callsOf({ paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const entries = (write) => operations.map((operation) => write(operation)).join('');
  return `import type { CallOptions, SentBytes } from './options.js';
import type * as Schemas from './schemas.js';

/** The codes of refusals that this version knows. */
export type ErrorCode = ${components.schemas.Error.properties.code.enum.map((code) => JSON.stringify(code)).join(' | ')};

interface Inputs {
${entries((operation) => `    ${operation.operationId}: ${inputOf(operation)?.type ?? '{}'};\n`)}}

interface Outputs {
${entries((operation) => `    ${operation.operationId}: ${answerOf(operation).type};\n`)}}

export type OperationId = keyof Inputs;

/** The input of an operation: path and query parameters side by side, the body under \`body\`, bytes under \`upload\`. */
export type Input<Id extends OperationId> = Inputs[Id];

/** The answer of an operation: a JSON document, the response to read bytes from, or one event of a stream. */
export type Output<Id extends OperationId> = Outputs[Id];

/** A method for every operation of the contract, named by its ID. */
export interface Client {
${entries(callOf)}}

export {};
`;
}

function callOf(operation) {
  const { operationId: id, summary, description = '', deprecated, method, path } = operation;
  const input = inputOf(operation);
  const parameter = input ? `input${input.required ? '' : '?'}: Inputs['${id}']` : 'input?: undefined';
  const answer = `${answerOf(operation).kind}<Outputs['${id}']>`;
  const lines = [`${summary}. ${description}`.trim(), `\`${method.toUpperCase()} ${path}\``];
  if (deprecated) lines.push('@deprecated');
  return `${comment(lines.join('\n\n'), '    ')}    readonly ${id}: (${parameter}, options?: CallOptions) => ${answer};\n`;
}

/** The type of an operation's input; empty if it takes none. */
function inputOf({ parameters = [], requestBody }) {
  const properties = {};
  const required = [];
  for (const { name, in: place, required: needed, description, schema } of parameters) {
    if (place === 'header') continue;
    properties[name] = { ...schema, description };
    if (needed) required.push(name);
  }
  if (requestBody) {
    const json = requestBody.content['application/json'];
    properties[json ? 'body' : 'upload'] = json ? json.schema : { tsType: 'SentBytes' };
    if (requestBody.required) required.push(json ? 'body' : 'upload');
  }
  if (Object.keys(properties).length === 0) return undefined;
  return {
    required: required.length > 0,
    type: typeOf({ type: 'object', properties, required }, '    ', elsewhere),
  };
}

function answerOf({ responses }) {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2'));
  const [[mediaType, { schema }]] = Object.entries(success.content);
  if (schema.format === 'binary') return { kind: 'Promise', type: 'Response' };
  const kind = mediaType === 'text/event-stream' ? 'AsyncGenerator' : 'Promise';
  return { kind, type: typeOf(schema, '    ', elsewhere) };
}

const local = (name) => name;
const elsewhere = (name) => `Schemas.${name}`;

/** The TypeScript of a schema, written at this indentation. */
function typeOf(schema, indent, named) {
  if (schema.tsType) return schema.tsType;
  if (schema.$ref) return named(schema.$ref.slice(reference.length));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((choice) => typeOf(choice, indent, named)));
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part, indent, named)})`).join(' & ');
  if (Array.isArray(schema.type))
    return union(schema.type.map((type) => typeOf({ ...schema, type }, indent, named)));
  switch (schema.type) {
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return arrayOf(schema, indent, named);
    case 'object':
      return objectOf(schema, indent, named);
    default:
      return 'unknown';
  }
}

function union(types) {
  return [...new Set(types)].map((type) => (type.includes('=>') ? `(${type})` : type)).join(' | ');
}

function arrayOf({ prefixItems, items }, indent, named) {
  if (prefixItems) return `[${prefixItems.map((item) => typeOf(item, indent, named)).join(', ')}]`;
  return `Array<${items ? typeOf(items, indent, named) : 'unknown'}>`;
}

function objectOf({ properties = {}, required = [], additionalProperties, propertyNames }, indent, named) {
  const inner = `${indent}    `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(schema, inner, named);
    const field = required.includes(name) ? `${key}: ${type}` : `${key}?: ${union([type, 'undefined'])}`;
    return `${comment(schema.description, inner)}${inner}${field};\n`;
  });
  if (additionalProperties) {
    const type = additionalProperties === true ? 'unknown' : typeOf(additionalProperties, inner, named);
    if (propertyNames?.enum) {
      const keys = propertyNames.enum.map((name) => JSON.stringify(name)).join(' | ');
      return required.length > 0 ? `Record<${keys}, ${type}>` : `Partial<Record<${keys}, ${type}>>`;
    }
    if (lines.length === 0) return `Record<string, ${type}>`;
    lines.push(`${inner}[name: string]: ${type};\n`);
  }
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('')}${indent}}`;
}

function comment(text, indent = '') {
  if (!text) return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
