import type { z } from 'zod';
import type {
  ReadinessFinding,
  ReadinessKind,
  ReadinessLane,
  ReadinessVerdict,
} from '../contract/readiness.ts';
import type { Evidence, Known, SessionFacts } from './evidence.ts';
import type { ToolFacts } from './tool-facts.ts';

export type Finding = z.infer<typeof ReadinessFinding>;
export type Lane = z.infer<typeof ReadinessLane>;
export type Kind = z.infer<typeof ReadinessKind>;
export type Verdict = z.infer<typeof ReadinessVerdict>;

export type Capability = 'mcp-session' | 'oauth-discovery' | 'declared-inputs' | 'side-effects' | 'browser';

export type Outcome = Pick<Finding, 'status' | 'details' | 'notEvaluatedReason' | 'missingInputs'>;

/** Fields of a check that both directories share. A listing may override them. */
interface Criterion {
  title: string;
  lane: Lane;
  class: Finding['class'];
  provenance: Finding['provenance'];
  intrusiveness: Finding['intrusiveness'];
  remediation: string;
  requiresCapabilities?: readonly Capability[];
  evaluate(this: void, evidence: Evidence): Outcome;
}

/** A criterion as one directory states it. */
export interface Check extends Criterion {
  id: `${Kind}.${string}.${string}`;
  source: { page: string; section: string };
}

/** A criterion of one or both directories. Each lists it under its own ID and cites its own page. */
export interface Rule extends Criterion {
  claude?: Listing;
  openai?: Listing;
}

type Listing = Partial<Criterion> & Pick<Check, 'source'> & { id: `${string}.${string}` };

export function listing(
  id: Listing['id'],
  page: string,
  section: string,
  overrides: Partial<Criterion> = {},
): Listing {
  return { id, source: { page, section }, ...overrides };
}

/** The order of topics in a report; the first part of a listing's ID is its topic. */
const topics = [
  ...['endpoint', 'domain', 'auth', 'tools', 'apps', 'ui', 'skills', 'package', 'features', 'intrusive'],
  ...['submission', 'policy', 'release', 'feature', 'migration', 'experience'],
];

/** The checks of a directory in the order of a report: by topic, within a topic in the order of the rules. */
export function checksIn(kind: Kind, rules: readonly Rule[]): Check[] {
  const topicOf = ({ id }: Check): number => topics.indexOf(id.split('.')[1] ?? '');
  const checks = rules.flatMap(({ claude, openai, ...criterion }): Check[] => {
    const listed = kind === 'claude' ? claude : openai;
    return listed ? [{ ...criterion, ...listed, id: `${kind}.${listed.id}` as const }] : [];
  });
  return checks.toSorted((one, other) => topicOf(one) - topicOf(other));
}

export function satisfied(details?: Record<string, unknown>): Outcome {
  return { status: 'satisfied', ...(details && { details }) };
}

export function violated(problem: string, details?: Record<string, unknown>): Outcome {
  return { status: 'violated', details: { problem, ...details } };
}

export function informational(details: Record<string, unknown>): Outcome {
  return { status: 'informational', details };
}

export function notApplicable(why: string): Outcome {
  return { status: 'not-applicable', details: { why } };
}

export function notEvaluated(reason: string, ...missingInputs: string[]): Outcome {
  return {
    status: 'not-evaluated',
    notEvaluatedReason: reason,
    ...(missingInputs.length > 0 && { missingInputs }),
  };
}

export function ifKnown<T>(part: Known<T>, judge: (value: T) => Outcome): Outcome {
  if (part.known) return judge(part.value);
  return notEvaluated(part.reason, ...(part.missing === undefined ? [] : [part.missing]));
}

type OpenSession = Extract<SessionFacts, { open: true }>;

export function whenOpen({ session }: Evidence, judge: (session: OpenSession) => Outcome): Outcome {
  return ifKnown(session, (facts) =>
    facts.open ? judge(facts) : notApplicable('No MCP session was opened'),
  );
}

const maxListed = 20;

/** Satisfied when no item has the problem; otherwise counts the items and lists the first. */
export function noneOf(items: readonly string[], problem: string): Outcome {
  if (items.length === 0) return satisfied();
  return violated(problem, { count: items.length, items: items.slice(0, maxListed) });
}

/** Violated by the tools that have the problem. */
export function noTool({ tools }: Evidence, has: (tool: ToolFacts) => boolean, problem: string): Outcome {
  return ifKnown(tools, (all) =>
    all.length === 0
      ? notApplicable('The server has no tools')
      : noneOf(all.filter(has).map(toolLabel), problem),
  );
}

export function toolLabel({ name }: ToolFacts): string {
  return name || '(no name)';
}
