import { isObject } from '../../platform/json/is-object.ts';
import { quote } from '../text/show.ts';
import type { CheckKind } from './shared/kind.ts';
import { everyDeclaredTool, hint, isDeprecated } from './shared/tools.ts';

export const toolDescriptionsPresent: CheckKind<'toolDescriptionsPresent'> = {
  type: 'toolDescriptionsPresent',
  stage: 'discovery',
  turnScopable: false,
  evaluate: ({ minLength = 20 }, evidence) =>
    everyDeclaredTool(
      evidence,
      ({ description }) => {
        if (typeof description !== 'string') return 'has no description';
        const { length } = description.trim();
        return length < minLength ? `has a description of ${length} characters, not ${minLength}` : undefined;
      },
      `Every tool has a description of at least ${minLength} characters`,
    ),
};

/** Every tool has annotations, and each required hint in them is true or false. */
export const toolAnnotationsPresent: CheckKind<'toolAnnotationsPresent'> = {
  type: 'toolAnnotationsPresent',
  stage: 'discovery',
  turnScopable: false,
  evaluate: ({ require = [] }, evidence) =>
    everyDeclaredTool(
      evidence,
      (tool) => {
        if (!isObject(tool.annotations)) return 'has no annotations';
        const absent = require.find((name) => typeof hint(tool, name) !== 'boolean');
        return absent === undefined ? undefined : `has no ${absent}`;
      },
      'Every tool has annotations',
    ),
};

/** No server declares two tools of the same name; two servers may. */
export const toolNamesUnique: CheckKind<'toolNamesUnique'> = {
  type: 'toolNamesUnique',
  stage: 'discovery',
  turnScopable: false,
  evaluate(_check, evidence) {
    const seen = new Set<string>();
    return everyDeclaredTool(
      evidence,
      ({ serverId, name }) => {
        const key = JSON.stringify([serverId, name]);
        if (seen.has(key)) return 'is declared more than once';
        seen.add(key);
        return undefined;
      },
      'No two tools of a server have the same name',
    );
  },
};

/** No declared tool is deprecated according to its description. */
export const noDeprecatedToolExposed: CheckKind<'noDeprecatedToolExposed'> = {
  type: 'noDeprecatedToolExposed',
  stage: 'discovery',
  turnScopable: false,
  evaluate: (_check, evidence) =>
    everyDeclaredTool(
      evidence,
      (tool) => (isDeprecated(tool) ? 'is deprecated' : undefined),
      'No tool is deprecated',
    ),
};

/** Every tool declares an input schema of type object and describes each property. */
export const toolInputSchemasWellFormed: CheckKind<'toolInputSchemasWellFormed'> = {
  type: 'toolInputSchemasWellFormed',
  stage: 'call',
  turnScopable: false,
  evaluate: (_check, evidence) =>
    everyDeclaredTool(
      evidence,
      ({ inputSchema }) => {
        if (!isObject(inputSchema)) return 'has no input schema';
        if (inputSchema['type'] !== 'object') return 'has an input schema that is not of type object';
        const properties = inputSchema['properties'] ?? {};
        if (!isObject(properties)) return 'has properties that are no object';
        const bare = Object.keys(properties).find((key) => !isDescribed(properties[key]));
        return bare === undefined ? undefined : `does not describe its input ${quote(bare)}`;
      },
      'Every tool describes its inputs',
    ),
};

function isDescribed(property: unknown): boolean {
  if (!isObject(property)) return false;
  const { description } = property;
  return typeof description === 'string' && description.trim() !== '';
}

export const toolOutputSchemasPresent: CheckKind<'toolOutputSchemasPresent'> = {
  type: 'toolOutputSchemasPresent',
  stage: 'response',
  turnScopable: false,
  evaluate: (_check, evidence) =>
    everyDeclaredTool(
      evidence,
      ({ outputSchema }) => (isObject(outputSchema) ? undefined : 'has no output schema'),
      'Every tool has an output schema',
    ),
};
