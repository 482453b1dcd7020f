import { z } from 'zod';
import { widgetAssertion } from '../contract/eval-steps.ts';
import { SuiteFile } from './suite-file.ts';

type Schema = z.core.JSONSchema.JSONSchema;

let made: Schema | undefined;

/** The JSON Schema of suite files, for editors. `base` is the URL of the service. */
export function suiteFileJsonSchema(base: string): Schema {
  const { $schema, ...whole } = (made ??= schemaOfFile());
  return {
    $schema: $schema ?? 'https://json-schema.org/draft/2020-12/schema',
    $id: `${base.replace(/\/+$/, '')}/schemas/suite-file.json`,
    title: 'Suite file',
    description: 'An eval suite and its cases, kept in a repository. YAML or JSON, at most 1 MiB.',
    ...whole,
  };
}

function schemaOfFile(): Schema {
  const whole = convert(SuiteFile);
  fillAssertions(whole);
  return whole;
}

function convert(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' });
}

/** Adds the forms of an assertion. Code selects between the two forms, so the generated schema lacks them. */
function fillAssertions({ $defs = {} }: Schema): void {
  const forms = $defs['EvalTestStep']?.oneOf ?? $defs['EvalTestStep']?.anyOf ?? [];
  const { $schema: _, $defs: widgetDefs, ...widget } = convert(widgetAssertion);
  for (const form of forms) {
    if (typeof form === 'boolean' || !form.properties?.['assertion']) continue;
    form.properties['assertion'] = { anyOf: [{ $ref: '#/$defs/EvalAssertion' }, widget] };
  }
  for (const [name, definition] of Object.entries(widgetDefs ?? {})) $defs[name] ??= definition;
}
