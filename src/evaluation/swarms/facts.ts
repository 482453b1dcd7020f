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
  /** Names that the model called and no server has. */
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

/** A check of the rubric, as the run keeps it. */
export interface Criterion {
  criterionId: string;
  label: string | null;
  kind: string;
  role: 'required' | 'advisory';
}

/** `error`: what the check would have to look at is missing, so `passed` says nothing. */
interface CriterionResult extends Criterion {
  status: 'scored' | 'error';
  passed: boolean;
}

/** How far a session came: `ran` to its end, `broke` on the way, was `limited` by a provider or a budget, or `withdrawn`. */
export type SessionLifecycle = 'pending' | 'running' | 'ran' | 'broke' | 'limited' | 'withdrawn';

/** Sessions that somebody called off, or that nobody will start any more. */
const withdrawals: ReadonlySet<string | null> = new Set(['canceled', 'not_started']);

export function lifecycleOf({ status, errorCode }: SessionFacts): SessionLifecycle {
  if (status === 'pending' || status === 'running') return status;
  if (status === 'succeeded') return 'ran';
  if (withdrawals.has(errorCode)) return 'withdrawn';
  return status === 'rate_limited' ? 'limited' : 'broke';
}

/** Whether there is a conversation to look at. Only these are graded. */
export function isExecuted(facts: SessionFacts): boolean {
  const lifecycle = lifecycleOf(facts);
  return lifecycle === 'ran' || lifecycle === 'broke';
}

/** Whether it has not ended yet. */
export function isUnderWay({ status }: SessionFacts): boolean {
  return status === 'pending' || status === 'running';
}

/** Codes that a session ends with when its runner is gone, whether it had begun or not. */
const runnerGone: ReadonlySet<string | null> = new Set([
  'runner_shutdown',
  'stale_runner',
  'host_worker_failed',
]);

/** Undefined: nobody can tell. A first turn shows that it had; what was called off or limited before one had not. */
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
