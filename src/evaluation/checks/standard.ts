import type { z } from 'zod';
import type { CaseChecks, Check, StandardCheckId } from '../../contract/eval-checks.ts';
import { isGating } from './evaluate.ts';

const shown = { role: 'advisory', severity: 'warn' } as const;

/** The recommended checks by ID. All are advisory, so they never decide a verdict. */
export const standardChecks: Readonly<Record<StandardCheckId, Check>> = {
  'discovery.description': { type: 'toolDescriptionsPresent', minLength: 20, ...shown },
  'discovery.annotations': { type: 'toolAnnotationsPresent', ...shown },
  'discovery.collisions': { type: 'toolNamesUnique', ...shown },
  'discovery.deprecated': { type: 'noDeprecatedToolExposed', ...shown },
  'call.schema': { type: 'toolInputSchemasWellFormed', ...shown },
  'response.schema': { type: 'toolOutputSchemasPresent', ...shown },
  'selection.hops': { type: 'toolCallCountUnder', count: 4, ...shown },
  'call.parameters': { type: 'argumentsMatchToolSchema', ...shown },
  'call.repeated': { type: 'noRepeatedIdenticalCall', ...shown },
  'response.performance': { type: 'toolLatencyUnder', ms: 5000, ...shown },
  'response.size': { type: 'toolResultSizeUnder', maxBytes: 64_000, ...shown },
  'response.errors': { type: 'noToolErrors', ...shown },
  'response.recovery': { type: 'toolErrorNamesInput', ...shown },
  'response.pagination': { type: 'fullPageHasContinuation', ...shown },
  'userValue.turns': { type: 'turnCountUnder', turns: 6, ...shown },
};

/** The default checks of a suite. */
export const seededChecks: readonly Check[] = [
  { type: 'noToolErrors', ...shown },
  { type: 'argumentsMatchToolSchema', ...shown },
  { type: 'noDeprecatedToolCalled', ...shown },
];

export interface ChecksInForce {
  suite: readonly Check[];
  case?: z.output<typeof CaseChecks> | null | undefined;
  suppressed?: readonly StandardCheckId[] | undefined;
  /** The tool of a case that consists of a single call, made to render the tool's widget. */
  renderedTool?: string | undefined;
}

/**
 * The checks that apply to a case. Suppressing a standard check removes the inherited advisory checks of its type,
 * whatever their parameters; gating ones stay. A case that only renders a widget and has no gating check is decided by
 * `widgetRendered`.
 */
export function effectiveChecks({ suite, case: own, suppressed = [], renderedTool }: ChecksInForce): Check[] {
  const unwanted = new Set(suppressed.map((id) => standardChecks[id].type));
  const inherited = suite.filter((check) => isGating(check) || !unwanted.has(check.type));
  const { mode, list } = own ?? { mode: 'inherit', list: [] };
  const checks = mode === 'inherit' ? inherited : mode === 'replace' ? [...list] : [...inherited, ...list];
  if (renderedTool === undefined || checks.some(isGating)) return checks;
  return [...checks, { type: 'widgetRendered', toolName: renderedTool }];
}
