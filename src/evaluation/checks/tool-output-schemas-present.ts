import { isObject } from '../json/value.ts';
import type { CheckKind } from './shared/kind.ts';
import { everyDeclaredTool } from './shared/tools.ts';

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
