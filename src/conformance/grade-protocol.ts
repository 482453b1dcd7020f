import { z } from 'zod';
import type { Case, Group } from './report.ts';
import type { Scenario } from './scenarios.ts';

const maxChecks = 500;
const maxText = 2_000;

/** The used fields of a check in the output of the official suite. */
const Check = z.object({
  id: z.string().min(1).max(500),
  name: z.string().max(500).optional(),
  description: z.string().optional(),
  status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
  errorMessage: z.string().optional(),
  specReferences: z
    .array(z.object({ url: z.string().max(500).optional() }))
    .optional()
    .catch(undefined),
  details: z
    .object({ untestable: z.boolean().optional(), messagesValidated: z.number().optional() })
    .optional()
    .catch(undefined),
});
type Check = z.output<typeof Check>;

/** The result of a scenario: its checks, why it does not apply, or why it did not finish. */
export type ScenarioResult =
  | { kind: 'checks'; checks: unknown; durationMs: number; refusedCalls: boolean }
  | { kind: 'skipped'; reason: string }
  | { kind: 'broken'; reason: string; durationMs: number };

/** Our HTTP client normalizes header names and whitespace, so these checks cannot reach the server as intended. */
const alteredByClient = new Set([
  'sep-2243-header-name-case-insensitive',
  'sep-2243-server-accepts-whitespace-header-value',
]);

/**
 * Checks that call tools of the suite's own test server to change a list. Servers under test lack these tools, and the
 * suite mistakes the refused call for a change.
 */
const needListChange = new Set([
  'sep-2575-server-sends-prompts-list-changed-on-subscription',
  'sep-2575-server-sends-tools-list-changed-on-subscription',
]);

/** Converts a scenario into a group. `clean` removes secrets from a text. */
export function groupOf(scenario: Scenario, result: ScenarioResult, clean: (text: string) => string): Group {
  const { id, title, section } = scenario;
  const shell = { id, title, target: null };
  const single = (fields: Partial<Case> & Pick<Case, 'status'>): Case => ({
    id,
    title,
    category: section,
    ...fields,
  });
  if (result.kind === 'skipped')
    return {
      ...shell,
      passed: true,
      durationMs: 0,
      cases: [single({ status: 'skipped', skipReason: result.reason, couldNotRun: false })],
    };
  const { durationMs } = result;
  const broken = (reason: string): Group => ({
    ...shell,
    passed: false,
    durationMs,
    cases: [single({ status: 'skipped', skipReason: clean(reason).slice(0, maxText), couldNotRun: true })],
  });
  if (result.kind === 'broken') return broken(result.reason);
  const read = z.array(Check).max(maxChecks).safeParse(result.checks);
  if (!read.success) return broken('The output of the suite is invalid');
  const results = read.data.filter(({ status }) => status !== 'INFO');
  if (results.length === 0) return broken('The suite ended without a check result');
  const cases = results.map((check) => caseOf(check, section, result.refusedCalls, clean));
  const passed = cases.every(({ status, pending }) => pending || status !== 'failed');
  return { ...shell, passed, durationMs, cases };
}

function caseOf(check: Check, section: string, refusedCalls: boolean, clean: (text: string) => string): Case {
  const { id, name, description, errorMessage, specReferences } = check;
  const text = (value: string): string => clean(value).slice(0, maxText).toWellFormed();
  const shown = {
    id,
    title: text(description ?? name ?? id),
    category: section,
    ...(specReferences?.[0]?.url !== undefined && { specUrl: text(specReferences[0].url) }),
  };
  const error = errorMessage === undefined ? {} : { error: text(errorMessage) };
  const skipped = (skipReason: string): Case => ({
    ...shown,
    status: 'skipped',
    skipReason,
    couldNotRun: false,
  });
  if (check.status === 'SKIPPED') return skipped(text(errorMessage ?? 'The suite skipped it'));
  if (alteredByClient.has(id)) return skipped('Not checked: headers are rewritten on the way to the server');
  if (refusedCalls && callsTools(check))
    return skipped('Calls a tool of the server; only tools that declare to be read-only are called');
  if (check.details?.untestable)
    return skipped(text(errorMessage ?? 'The server lacks the feature that this check uses'));
  if (id === 'wire-schema-valid' && check.details?.messagesValidated === 0) return skipped('No message came');
  if (check.status !== 'SUCCESS' && needListChange.has(id))
    return skipped('The server lacks the tool that would change the list');
  // A violated recommendation is reported but not counted.
  if (check.status === 'WARNING') return { ...shown, status: 'failed', pending: true, ...error };
  return check.status === 'SUCCESS'
    ? { ...shown, status: 'passed' }
    : { ...shown, status: 'failed', ...error };
}

/** Whether a check calls tools. Its description tells: checks that only list tools have the same IDs. */
function callsTools({ description = '' }: Check): boolean {
  return /tools\/call|Mcp-Name/.test(description);
}
