import { CaseCreateRequest } from '../../../../../../contract/eval-cases.ts';
import { EvalCheck, observations } from '../../../../../../contract/eval-checks.ts';
import { widgetAssertion } from '../../../../../../contract/eval-steps.ts';
import { Components } from '../../../../../openapi/components.ts';
import type { Schema } from '../../../kit/form/schema.ts';

/** Derived from the contract. Builds include the results instead of this module. */

const components = new Components();
const parts = [CaseCreateRequest, EvalCheck, widgetAssertion].map((part) => components.add(part, 'input'));
const { part, schemas } = components.finish({ parts });

/** Document in which `$ref` is resolved. */
export const root: Schema = { components: { schemas } };

const [asked, check, widget] = (part.parts as unknown as Schema[]).map(followed) as [Schema, Schema, Schema];

/** A case in a request. */
export const caseSchema: Schema = asked;

/** Step schemas by kind. */
export const stepSchemas: Record<string, Schema> = formsOf(
  followed(((asked['properties'] as Schema)['steps'] as Schema)['items'] as Schema),
  'kind',
);

/** Check schemas by type. */
export const checkSchemas: Record<string, Schema> = formsOf(check, 'type');

/** Kinds that are advisory only. */
export const observing: string[] = [...observations];

export const widgetSchemas: Record<string, Schema> = formsOf(widget, 'kind');

function followed(schema: Schema): Schema {
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
  return name === undefined ? schema : (schemas[name] as Schema);
}

/** Variants of a union by their discriminator. */
function formsOf(union: Schema, word: string): Record<string, Schema> {
  const forms = (union['oneOf'] ?? union['anyOf']) as Schema[];
  return Object.fromEntries(
    forms.map((form) => {
      const whole = followed(form);
      const name = ((whole['properties'] as Schema)[word] as { const: string }).const;
      return [name, whole];
    }),
  );
}
