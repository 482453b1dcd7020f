import {
  constraintText,
  isMap,
  refName,
  typeText,
  valueOfMap,
  type Word,
  withoutNull,
} from '../common/schema-labels.ts';
import type { Parameter, Schema } from '../openapi/types.ts';
import { type Content, type Html, html, phrase, prose } from './html.ts';

/** Maximum characters of HTML of a type shown in place. Larger types are shown at the end of the page, and linked. */
const largestInline = 6_000;

/** Requests mark required fields; answers mark fields that may be missing. */
type Side = 'request' | 'answer';

interface Row {
  name: string;
  schema: Schema;
  required: boolean;
  description?: string | undefined;
}

/** Draws schemas as tables of fields whose nested objects unfold in place. */
export class SchemaTables {
  /** Linked types, in order of first use. */
  readonly linked = new Set<string>();
  private readonly schemas: Readonly<Record<string, Schema>>;
  private readonly drawn = new Map<string, Html>();
  private readonly underway = new Set<string>();

  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.schemas = schemas;
  }

  private resolve(schema: Schema): Schema {
    const name = refName(schema);
    return (name === undefined ? undefined : this.schemas[name]) ?? schema;
  }

  /** A complete body: the description of its schema, then its fields. */
  body(schema: Schema, side: Side): Html {
    const { description } = this.resolve(schema);
    const fields = this.inside(this.resolve(schema), side);
    return html`${description !== undefined && prose(description)}${fields ?? html`<p class="t">${this.words(typeText(schema))}</p>`}`;
  }

  parameters(parameters: readonly Parameter[]): Html {
    return html`<dl class="fields">${parameters.map((parameter) => this.row(parameter, 'request', false))}</dl>`;
  }

  private words(words: readonly Word[]): Content {
    return words.map((word) => {
      if (typeof word === 'string') return word;
      if ('code' in word) return html`<code>${word.code}</code>`;
      return this.link(word.type);
    });
  }

  private link(name: string): Html {
    this.linked.add(name);
    return html`<a href="#type-${name}">${name}</a>`;
  }

  /** The fields of an object, of the items of a list, or of each form. Undefined for a value without fields. */
  private inside(given: Schema, side: Side): Html | undefined {
    const { schema } = withoutNull(given);
    const name = refName(schema);
    if (name !== undefined) return this.named(name, side);
    if (schema.properties) return this.object(schema, side);
    if (schema.items) return this.inside(schema.items, side);
    if (isMap(schema)) return this.inside(valueOfMap(schema), side);
    const forms = schema.oneOf ?? schema.anyOf ?? schema.allOf ?? schema.prefixItems;
    return forms && this.forms(forms, side);
  }

  private named(name: string, side: Side): Html | undefined {
    const key = `${side} ${name}`;
    const known = this.drawn.get(key);
    if (known) return known;
    const schema = this.schemas[name];
    // A type inside itself is not repeated; its name is a link.
    if (!schema || this.underway.has(name)) return undefined;
    this.underway.add(name);
    const fields = this.inside(schema, side);
    this.underway.delete(name);
    if (fields) this.drawn.set(key, fields);
    return fields;
  }

  private object(schema: Schema, side: Side): Html {
    const { properties = {}, required = [], additionalProperties: others } = schema;
    const rows = Object.entries(properties).map(([name, field]) => ({
      name,
      schema: field,
      required: required.includes(name),
    }));
    if (rows.length === 0) return html`<p class="note">No fields.</p>`;
    // Unfolds the items of a page.
    const open = rows.length <= 3;
    return html`<dl class="fields">${rows.map((row) => this.row(row, side, open))}</dl>${
      typeof others === 'object' && html`<p class="note">Further fields may appear.</p>`
    }`;
  }

  private row({ name, schema, required, description }: Row, side: Side, open: boolean): Html {
    const text = description ?? descriptionOf(schema);
    const need = side === 'request' ? required && 'required' : !required && 'optional';
    const limits = constraintText(schema).map((limit) => html` <span>${this.words(limit)}</span>`);
    const fields = this.unfold(schema, side, open);
    return html`<div><dt><code>${name}</code>${
      need && html` <em class="${need}">${need}</em>`
    }</dt><dd><p class="limits"><span class="t">${this.words(typeText(schema))}</span>${limits}</p>${
      text !== undefined && html`<p>${phrase(text)}</p>`
    }</dd>${fields && html`<dd class="in">${fields}</dd>`}</div>`;
  }

  private unfold(given: Schema, side: Side, open: boolean): Html | false {
    const fields = this.inside(given, side);
    if (!fields) return false;
    // The name of the type is already a link.
    if (fields.text.length > largestInline && nameInside(given) !== undefined) return false;
    return html`<details${open && html` open`}><summary>${this.summaryOf(withoutNull(given).schema)}</summary>${fields}</details>`;
  }

  private summaryOf(schema: Schema): string {
    if (schema.items) return `Each item: ${this.summaryOf(schema.items)}`;
    if (isMap(schema)) return `Each value: ${this.summaryOf(valueOfMap(schema))}`;
    const { properties, oneOf, anyOf } = this.resolve(withoutNull(schema).schema);
    if (properties) return counted(Object.keys(properties).length, 'field');
    const forms = oneOf ?? anyOf;
    return forms ? counted(forms.length, 'form') : 'parts';
  }

  private forms(forms: readonly Schema[], side: Side): Html | undefined {
    const drawn = forms.map((form) => ({ form, fields: this.inside(form, side) }));
    if (drawn.every(({ fields }) => fields === undefined)) return undefined;
    return html`${drawn.map(({ form, fields }) =>
      fields
        ? html`<details class="form"><summary>${this.titleOf(form)}</summary>${this.about(form)}${fields}</details>`
        : html`<p class="form">${this.words(typeText(form))}</p>`,
    )}`;
  }

  private about(form: Schema): Html | false {
    const { description } = this.resolve(form);
    return description !== undefined && prose(description);
  }

  /** The constant fields that distinguish a form, otherwise its title or type. */
  private titleOf(form: Schema): Content {
    const { properties = {}, title } = this.resolve(form);
    const marks = Object.entries(properties).filter(([, field]) => field.const !== undefined);
    if (marks.length === 0) return title ?? refName(form) ?? this.words(typeText(form));
    return marks.map(([name, field], i) => [
      i > 0 && ', ',
      html`<code>${name}</code> is <code>${String(field.const)}</code>`,
    ]);
  }
}

/** The type whose fields a value unfolds into. */
function nameInside(given: Schema): string | undefined {
  const { schema } = withoutNull(given);
  if (schema.items) return nameInside(schema.items);
  return isMap(schema) ? nameInside(valueOfMap(schema)) : refName(schema);
}

function descriptionOf(given: Schema): string | undefined {
  const { schema } = withoutNull(given);
  return schema.description ?? schema.items?.description;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
