import { sha256 } from '../json/value.ts';
import type { FailureCategory } from '../stage.ts';
import { actionFor } from '../stages/next-action.ts';
import { quote } from '../text/show.ts';
import { type Candidate, candidateTitle, type InsightFinding, type SessionInsights } from './candidates.ts';
import type { Cluster } from './trial-clusters.ts';

/** The category of a finding and what to fix. */
type Classification = Pick<InsightFinding, 'category' | 'attribution' | 'actionTarget'>;

const server: Classification = {
  category: 'tool_runtime',
  attribution: 'server_runtime',
  actionTarget: 'mcp_server',
};
const contract: Classification = {
  category: 'tool_contract',
  attribution: 'server_contract',
  actionTarget: 'mcp_server',
};
const agent: Classification = {
  category: 'agent_behavior',
  attribution: 'agent_or_prompt',
  actionTarget: 'agent_configuration',
};
const environment: Classification = {
  category: 'environment',
  attribution: 'environment',
  actionTarget: 'environment',
};
const testDesign: Classification = {
  category: 'test_design',
  attribution: 'test_design',
  actionTarget: 'eval_case',
};
const workflow: Classification = {
  category: 'workflow',
  attribution: 'unknown',
  actionTarget: 'investigate',
};
const unknown: Classification = { ...workflow, category: 'unknown' };

const byFailure: Readonly<Record<FailureCategory, Classification>> = {
  setup: environment,
  metadata: contract,
  selection: contract,
  arguments: contract,
  serverData: server,
  userValue: agent,
  evaluator: testDesign,
};

const byDetector: Readonly<Record<string, Classification & { recommendation: string }>> = {
  criterion_failed: {
    ...unknown,
    recommendation: 'Compare sessions that missed the criterion with one that met it.',
  },
  goal_missed: {
    ...unknown,
    recommendation: 'Read where the sessions stop short of the goal, and the explanation of the judge.',
  },
  execution_failed: {
    ...environment,
    recommendation: 'Check the errors of the sessions, and the servers and the model of the target.',
  },
  provider_limited: {
    ...environment,
    recommendation: 'Run fewer sessions in parallel, or raise the rate limits at the provider.',
  },
  tool_errored: {
    ...server,
    recommendation:
      'Call the tool with the arguments of the failed calls, and fix the tool or its description.',
  },
  unknown_tool_called: {
    ...agent,
    recommendation: 'Check which tool the model expects. Offer it, or describe the tool to use instead.',
  },
  no_tool_called: {
    ...agent,
    recommendation: 'Describe when to use the tools, in their descriptions or in the system prompt.',
  },
  turn_cap_reached: {
    ...workflow,
    recommendation: 'Check what the turns are spent on. Reduce the number of steps, or allow more turns.',
  },
  ask_repeated: {
    ...agent,
    recommendation: 'Read the repeated questions, and what the first reply left out.',
  },
  session_abandoned: {
    ...workflow,
    recommendation: 'Read the last message of the sessions, and the error or the failed calls before it.',
  },
  turn_slow: {
    ...environment,
    recommendation: 'Check which calls take long and how many steps a turn needs, then the model.',
  },
  thumbs_down: {
    ...unknown,
    recommendation: 'Read the sessions, and the comments of their visitors.',
  },
};

const otherDetector = { ...unknown, recommendation: 'Read the affected sessions.' };

/** `total` is the number of trials of the run. */
export function trialFinding(runId: string, cluster: Cluster, total: number): InsightFinding {
  const { fingerprint, category, stage, reason, toolName, check, count, titles, evidence } = cluster;
  const where = stage ? `at the stage ${stage}` : 'before the first stage';
  const cases = titles.map(quote).join(', ');
  return {
    id: `fnd_${sha256(`${runId} ${fingerprint}`).slice(0, 24)}`,
    signalFingerprint: fingerprint,
    title: clusterTitle(cluster),
    ...(category ? byFailure[category] : unknown),
    actionability: category && count > 1 ? 'ready' : 'investigate',
    severity: severityOf(total === 0 ? 0 : count / total),
    confidence: confidenceOf(count),
    observed: `${count} of ${total} trials failed ${where} (${reason}): ${cases}`,
    recommendation: actionFor(category, reason),
    acceptanceCriteria: [`No trial of ${cases} fails with ${reason} when they are run again`],
    affected: { count, total, unit: 'iterations' },
    patternSlug: [stage ?? 'none', reason, check, toolName]
      .flatMap((part) => (part === undefined ? [] : [part.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60)]))
      .join('.'),
    evidence,
  };
}

/** `next` names where the findings should not occur again, like "the next wave". */
export function sessionFindings(
  scopeId: string,
  next: string,
  { candidates, unnarratedCandidates }: SessionInsights,
): InsightFinding[] {
  return [
    ...candidates.map(({ rootCause, recommendation, confidence, ...candidate }) => ({
      ...candidateFinding(scopeId, next, candidate),
      rootCause,
      recommendation,
      confidence,
    })),
    ...unnarratedCandidates.map((candidate) => candidateFinding(scopeId, next, candidate)),
  ];
}

function candidateFinding(scopeId: string, next: string, candidate: Candidate): InsightFinding {
  const { fingerprint, detector, affectedSessions: count, sliceTotal: total, metric } = candidate;
  const title = candidateTitle(candidate);
  return {
    id: `${scopeId}:${fingerprint}`,
    signalFingerprint: fingerprint,
    title,
    ...(byDetector[detector] ?? otherDetector),
    actionability: count > 1 ? 'ready' : 'investigate',
    severity: severityOf(metric),
    confidence: confidenceOf(count),
    observed: `In ${count} of ${total} sessions: ${title}`,
    acceptanceCriteria: [`No session of ${next} is affected`],
    affected: { count, total, unit: 'sessions' },
    patternSlug: detector,
    evidence: candidate.evidenceSessionIds
      .slice(0, 5)
      .map((sessionId) => ({ sessionId, kind: 'transcript', excerpt: '' })),
  };
}

function severityOf(share: number): InsightFinding['severity'] {
  return share >= 0.5 ? 'high' : share >= 0.2 ? 'medium' : 'low';
}

function confidenceOf(count: number): InsightFinding['confidence'] {
  return count >= 3 ? 'high' : count === 2 ? 'medium' : 'low';
}

const clusterTitles: Readonly<Record<string, string>> = {
  connectFailed: 'Connecting to the server fails',
  toolsListFailed: 'The server does not list its tools',
  missingToolCall: 'A tool is not called',
  unexpectedToolCall: 'An unexpected tool is called',
  argumentMismatch: 'A tool is called with unexpected arguments',
  toolError: 'A tool returns an error',
  protocolError: 'A tool call fails',
  renderFailed: 'An interface is not rendered',
  predicateFailed: 'A check is not met',
  judgeObserved: 'The judge rates the goal as missed',
  judgeFailed: 'The judge gave no usable answer',
  evaluatorError: 'A check could not be evaluated',
  providerError: 'The model provider returns an error',
  setupAborted: 'The trial could not be set up',
  lifecycleStopped: 'The trial was stopped',
};

function clusterTitle({ reason, toolName, check }: Cluster): string {
  const title = clusterTitles[reason] ?? `Trials end with ${reason}`;
  const about = [check, toolName === undefined ? undefined : quote(toolName)].filter(
    (part) => part !== undefined,
  );
  return about.length > 0 ? `${title}: ${about.join(' on ')}` : title;
}
