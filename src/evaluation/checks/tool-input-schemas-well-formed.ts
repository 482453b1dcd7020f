import { isObject } from '../json/value.ts';
import { quote } from '../text/show.ts';
import type { CheckKind } from './shared/kind.ts';
import { everyDeclaredTool } from './shared/tools.ts';

/** Every tool declares an object as its input, and describes each property of it. */
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
