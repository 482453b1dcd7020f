import type { CheckType } from '../../contract/eval-checks.ts';
import {
  noDeprecatedToolExposed,
  toolAnnotationsPresent,
  toolDescriptionsPresent,
  toolInputSchemasWellFormed,
  toolNamesUnique,
  toolOutputSchemasPresent,
} from './declared-tools.ts';
import {
  finalAssistantMessageNonEmpty,
  noEndingQuestion,
  responseCloseTo,
  responseContains,
  responseMatches,
  tokenBudgetUnder,
  turnCountUnder,
} from './response.ts';
import type { CheckKind } from './shared/kind.ts';
import {
  argumentsMatchToolSchema,
  firstToolWas,
  noDeprecatedToolCalled,
  noDestructiveToolCalled,
  noRepeatedIdenticalCall,
  onlyToolsCalled,
  toolCallCountUnder,
  toolCalledAtLeastOnce,
  toolCalledBefore,
  toolCalledWith,
  toolInputMatches,
  toolNeverCalled,
} from './tool-calls.ts';
import {
  fullPageHasContinuation,
  noToolErrors,
  toolErrorNamesInput,
  toolLatencyUnder,
  toolResultContains,
  toolResultMatches,
  toolResultMatchesSchema,
  toolResultSizeUnder,
} from './tool-results.ts';
import { widgetNoConsoleErrors, widgetRendered, widgetRenderLatencyUnder } from './widgets.ts';

/** Every kind of check, in the order of the documentation. */
export const checkKinds: { readonly [Type in CheckType]: CheckKind<Type> } = {
  toolCalledWith,
  toolCalledAtLeastOnce,
  toolNeverCalled,
  firstToolWas,
  onlyToolsCalled,
  toolCalledBefore,
  toolCallCountUnder,
  noRepeatedIdenticalCall,
  argumentsMatchToolSchema,
  toolInputMatches,
  toolResultMatches,
  noDeprecatedToolCalled,
  noDestructiveToolCalled,
  noToolErrors,
  toolErrorNamesInput,
  toolLatencyUnder,
  toolResultContains,
  toolResultMatchesSchema,
  toolResultSizeUnder,
  fullPageHasContinuation,
  responseContains,
  responseMatches,
  responseCloseTo,
  finalAssistantMessageNonEmpty,
  noEndingQuestion,
  tokenBudgetUnder,
  turnCountUnder,
  widgetRendered,
  widgetRenderLatencyUnder,
  widgetNoConsoleErrors,
  toolDescriptionsPresent,
  toolAnnotationsPresent,
  toolNamesUnique,
  noDeprecatedToolExposed,
  toolInputSchemasWellFormed,
  toolOutputSchemasPresent,
};

/** The check kind for a type name from user input; undefined if unknown. */
export function kindOf(type: unknown): CheckKind<CheckType> | undefined {
  return typeof type === 'string' && Object.hasOwn(checkKinds, type)
    ? (checkKinds[type as CheckType] as unknown as CheckKind<CheckType>)
    : undefined;
}
