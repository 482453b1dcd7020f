import type { CheckType } from '../../contract/eval-checks.ts';
import { argumentsMatchToolSchema } from './arguments-match-tool-schema.ts';
import { finalAssistantMessageNonEmpty } from './final-assistant-message-non-empty.ts';
import { firstToolWas } from './first-tool-was.ts';
import { fullPageHasContinuation } from './full-page-has-continuation.ts';
import { noDeprecatedToolCalled } from './no-deprecated-tool-called.ts';
import { noDeprecatedToolExposed } from './no-deprecated-tool-exposed.ts';
import { noDestructiveToolCalled } from './no-destructive-tool-called.ts';
import { noEndingQuestion } from './no-ending-question.ts';
import { noRepeatedIdenticalCall } from './no-repeated-identical-call.ts';
import { noToolErrors } from './no-tool-errors.ts';
import { onlyToolsCalled } from './only-tools-called.ts';
import { responseCloseTo } from './response-close-to.ts';
import { responseContains } from './response-contains.ts';
import { responseMatches } from './response-matches.ts';
import type { CheckKind } from './shared/kind.ts';
import { tokenBudgetUnder } from './token-budget-under.ts';
import { toolAnnotationsPresent } from './tool-annotations-present.ts';
import { toolCallCountUnder } from './tool-call-count-under.ts';
import { toolCalledAtLeastOnce } from './tool-called-at-least-once.ts';
import { toolCalledBefore } from './tool-called-before.ts';
import { toolCalledWith } from './tool-called-with.ts';
import { toolDescriptionsPresent } from './tool-descriptions-present.ts';
import { toolErrorNamesInput } from './tool-error-names-input.ts';
import { toolInputMatches } from './tool-input-matches.ts';
import { toolInputSchemasWellFormed } from './tool-input-schemas-well-formed.ts';
import { toolLatencyUnder } from './tool-latency-under.ts';
import { toolNamesUnique } from './tool-names-unique.ts';
import { toolNeverCalled } from './tool-never-called.ts';
import { toolOutputSchemasPresent } from './tool-output-schemas-present.ts';
import { toolResultContains } from './tool-result-contains.ts';
import { toolResultMatches } from './tool-result-matches.ts';
import { toolResultMatchesSchema } from './tool-result-matches-schema.ts';
import { toolResultSizeUnder } from './tool-result-size-under.ts';
import { turnCountUnder } from './turn-count-under.ts';
import { widgetNoConsoleErrors } from './widget-no-console-errors.ts';
import { widgetRenderLatencyUnder } from './widget-render-latency-under.ts';
import { widgetRendered } from './widget-rendered.ts';

/** Every kind of check, one file each. */
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

/** The kind of a name that somebody wrote. */
export function kindOf(type: unknown): CheckKind<CheckType> | undefined {
  return typeof type === 'string' && Object.hasOwn(checkKinds, type)
    ? (checkKinds[type as CheckType] as unknown as CheckKind<CheckType>)
    : undefined;
}
