import { z } from 'zod';
import type { Case, Group } from './report.ts';
import type { Scenario } from './scenarios.ts';

const mostChecks = 500;
const mostText = 2_000;

/** One check as the official suite writes it down. What is not named here is not read. */
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

/** How a scenario went: what it wrote down, or why it wrote nothing. */
export type ScenarioResult =
  | { kind: 'checks'; checks: unknown; durationMs: number; refusedCalls: boolean }
  | { kind: 'skipped'; reason: string }
  | { kind: 'broken'; reason: string; durationMs: number };

/**
 * Our way out writes names of headers in lower case and values without space around them, whatever it was handed: what
 * is asked with either never reaches the server as it was meant.
 */
const lostOnTheWay = new Set([
  'sep-2243-header-name-case-insensitive',
  'sep-2243-server-accepts-whitespace-header-value',
]);

/** Asked with tools that change a list, which servers do not have; the suite takes the refused call for a change. */
const askedByChanging = new Set([
  'sep-2575-server-sends-prompts-list-changed-on-subscription',
  'sep-2575-server-sends-tools-list-changed-on-subscription',
]);

/** A scenario as a group. `clean` takes out of a text what nobody is to see. */
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
    cases: [single({ status: 'skipped', skipReason: clean(reason).slice(0, mostText), couldNotRun: true })],
  });
  if (result.kind === 'broken') return broken(result.reason);
  const read = z.array(Check).max(mostChecks).safeParse(result.checks);
  if (!read.success) return broken('The suite wrote down something that cannot be read');
  const told = read.data.filter(({ status }) => status !== 'INFO');
  if (told.length === 0) return broken('The suite ended without a check');
  const cases = told.map((check) => caseOf(check, section, result.refusedCalls, clean));
  const passed = cases.every(({ status, pending }) => pending || status !== 'failed');
  return { ...shell, passed, durationMs, cases };
}

function caseOf(check: Check, section: string, refusedCalls: boolean, clean: (text: string) => string): Case {
  const { id, name, description, errorMessage, specReferences } = check;
  const text = (value: string): string => clean(value).slice(0, mostText).toWellFormed();
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
  if (check.status === 'SKIPPED') return skipped(text(errorMessage ?? 'The suite left it out'));
  if (lostOnTheWay.has(id))
    return skipped('Headers are written anew on the way to the server, so this is not asked');
  if (refusedCalls && callsTools(check))
    return skipped('Calls a tool of the server; only tools that say that they only read are called');
  if (check.details?.untestable)
    return skipped(text(errorMessage ?? 'The server lacks what this is asked with'));
  if (id === 'wire-schema-valid' && check.details?.messagesValidated === 0) return skipped('No message came');
  if (check.status !== 'SUCCESS' && askedByChanging.has(id))
    return skipped('The server lacks the tool that would change the list');
  // What the specification only recommends is told, and does not count.
  if (check.status === 'WARNING') return { ...shown, status: 'failed', pending: true, ...error };
  return check.status === 'SUCCESS'
    ? { ...shown, status: 'passed' }
    : { ...shown, status: 'failed', ...error };
}

/** Told by its words: the ids are shared with checks that list tools only. */
function callsTools({ description = '' }: Check): boolean {
  return /tools\/call|Mcp-Name/.test(description);
}
