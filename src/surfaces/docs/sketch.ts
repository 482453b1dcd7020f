import { isMap, refName, valueOfMap, withoutNull } from '../common/schema-labels.ts';
import type { Schema } from '../openapi/types.ts';
import { type Content, html } from './html.ts';

const maxDepth = 3;

/** The shape of a value, written like JSON with types where the values would be. */
export function sketch(given: Schema, schemas: Readonly<Record<string, Schema>>, depth = 0): Content {
  // A form may contain itself without an object in between.
  if (depth > 2 * maxDepth) return '…';
  const { schema, nullable } = withoutNull(given);
  return [plain(schema, schemas, depth), nullable && html` | <i>null</i>`];
}

function plain(schema: Schema, schemas: Readonly<Record<string, Schema>>, depth: number): Content {
  const name = refName(schema);
  const target = name === undefined ? schema : (schemas[name] ?? {});
  if (target.properties) return depth < maxDepth ? object(target, schemas, depth) : '{ … }';
  if (name !== undefined) return sketch(target, schemas, depth + 1);
  const margin = '  '.repeat(depth);
  const within = (value: Schema): Content => sketch(value, schemas, depth + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return choice(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.prefixItems)
    return html`[${schema.prefixItems.map((item, i) => [i > 0 && ', ', within(item)])}]`;
  if (schema.items) {
    const simple = sketch(schema.items, schemas, depth);
    return isStructured(schema.items, schemas)
      ? html`[\n${margin}  ${within(schema.items)}\n${margin}]`
      : html`[${simple}]`;
  }
  if (isMap(schema)) return html`{ <i>name</i>: ${sketch(valueOfMap(schema), schemas, depth)} }`;
  const forms = schema.oneOf ?? schema.anyOf;
  if (forms) return forms.length > 3 ? html`<i>one of ${forms.length} forms</i>` : choice(forms.map(within));
  if (schema.allOf) return schema.allOf.map((part, i) => [i > 0 && ' & ', within(part)]);
  return html`<i>${[schema.type ?? 'any'].flat().join(' | ')}</i>`;
}

function object(schema: Schema, schemas: Readonly<Record<string, Schema>>, depth: number): Content {
  const { properties = {}, required = [] } = schema;
  const margin = '  '.repeat(depth);
  const fields = Object.entries(properties);
  const lines = fields.map(([name, field], i) => [
    `\n${margin}  `,
    html`<b>"${name}"</b>${!required.includes(name) && '?'}: `,
    sketch(field, schemas, depth + 1),
    i < fields.length - 1 && ',',
  ]);
  return ['{', lines, `\n${margin}}`];
}

function choice(options: readonly Content[]): Content {
  return options.map((option, i) => [i > 0 && ' | ', option]);
}

function isStructured(schema: Schema, schemas: Readonly<Record<string, Schema>>): boolean {
  const name = refName(schema);
  return Boolean((name === undefined ? schema : schemas[name])?.properties);
}
