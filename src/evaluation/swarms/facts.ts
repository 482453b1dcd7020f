/** The stored outcome of a session of a journey run. */
export interface SessionFacts {
  sessionId: string;
  runId: string;
  journeyId: string;
  journeyName: string;
  waveId: string;
  persona: { id: string | null; name: string };
  target: SessionTarget;
  sessionIndex: number;
  status: 'pending' | 'running' | 'succeeded' | 'failed' | 'rate_limited';
  errorCode: string | null;
  turns: number;
  turnCapReached: boolean;
  /** Null: the run has no rubric. */
  criteria: null | { status: 'pending' | 'completed' | 'failed'; results: CriterionResult[] };
  /** Null: the run has no judge. */
  judge: null | {
    status: 'pending' | 'scored' | 'errored' | 'skipped';
    score?: number | undefined;
    passed?: boolean | undefined;
  };
  tools: ToolUse[];
  /** Names that the model called but no server offers. */
  unknownTools: string[];
  outputTruncated: boolean;
}

export interface SessionTarget {
  kind: 'environment' | 'host';
  id: string;
  label: string;
  modelId: string | null;
}

interface ToolUse {
  serverId: string | null;
  serverName: string;
  toolName: string;
  calls: number;
  errors: number;
}

/** A criterion of the rubric, as stored with the run. */
export interface Criterion {
  criterionId: string;
  label: string | null;
  kind: string;
  role: 'required' | 'advisory';
}

/** `error`: the evidence is missing, so `passed` is meaningless. */
interface CriterionResult extends Criterion {
  status: 'scored' | 'error';
  passed: boolean;
}

/**
 * How a session ended: `ran` to its end, `broke` (failed), `limited` by a provider or budget, or `withdrawn` (cancelled
 * or never started).
 */
export type SessionLifecycle = 'pending' | 'running' | 'ran' | 'broke' | 'limited' | 'withdrawn';

/** Error codes of sessions that were cancelled, or will not be started any more. */
const withdrawals: ReadonlySet<string | null> = new Set(['canceled', 'not_started']);

export function lifecycleOf({ status, errorCode }: SessionFacts): SessionLifecycle {
  if (status === 'pending' || status === 'running') return status;
  if (status === 'succeeded') return 'ran';
  if (withdrawals.has(errorCode)) return 'withdrawn';
  return status === 'rate_limited' ? 'limited' : 'broke';
}

/** Whether the session ran, to its end or until it failed. Only these sessions are graded. */
export function isExecuted(facts: SessionFacts): boolean {
  const lifecycle = lifecycleOf(facts);
  return lifecycle === 'ran' || lifecycle === 'broke';
}

export function isUnderWay({ status }: SessionFacts): boolean {
  return status === 'pending' || status === 'running';
}

/** Error codes of sessions whose runner disappeared, whether or not the session had started. */
const runnerGone: ReadonlySet<string | null> = new Set([
  'runner_shutdown',
  'stale_runner',
  'host_worker_failed',
]);

/** Whether the session started; undefined if unknown. Limited and withdrawn sessions started if they have a turn. */
export function hasBegun(session: SessionFacts): boolean | undefined {
  switch (lifecycleOf(session)) {
    case 'running':
    case 'ran':
      return true;
    case 'pending':
      return false;
    case 'limited':
    case 'withdrawn':
      return session.turns > 0;
    case 'broke':
      return session.turns === 0 && runnerGone.has(session.errorCode) ? undefined : true;
  }
}

export function callsOf({ tools }: SessionFacts): number {
  return tools.reduce((sum, { calls }) => sum + calls, 0);
}

export function errorsOf({ tools }: SessionFacts): number {
  return tools.reduce((sum, { errors }) => sum + errors, 0);
}
