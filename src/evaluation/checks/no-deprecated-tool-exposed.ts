import type { CheckKind } from './shared/kind.ts';
import { everyDeclaredTool, isDeprecated } from './shared/tools.ts';

/** No tool says of itself that it is deprecated. */
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
