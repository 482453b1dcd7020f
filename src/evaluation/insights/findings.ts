import { sha256 } from '../json/value.ts';
import { actionFor } from '../stages/next-action.ts';
import type { FailureCategory } from '../stages/stage.ts';
import { quote } from '../text/show.ts';
import type { Cluster, ClusterEvidence } from './clusters.ts';

/** A cluster as whoever has to act reads it. */
export interface Finding {
  id: string;
  signalFingerprint: string;
  title: string;
  category: 'unknown' | 'tool_contract' | 'tool_runtime' | 'agent_behavior' | 'test_design' | 'environment';
  attribution:
    | 'unknown'
    | 'server_contract'
    | 'server_runtime'
    | 'agent_or_prompt'
    | 'test_design'
    | 'environment';
  actionTarget: 'investigate' | 'mcp_server' | 'agent_configuration' | 'eval_case' | 'environment';
  actionability: 'investigate' | 'ready';
  severity: 'low' | 'medium' | 'high';
  confidence: 'low' | 'medium' | 'high';
  observed: string;
  rootCause?: string;
  recommendation: string;
  acceptanceCriteria: string[];
  affected: { count: number; total: number; unit: 'iterations' };
  patternSlug: string;
  evidence: ClusterEvidence[];
}

type Filing = Pick<Finding, 'category' | 'attribution' | 'actionTarget'>;

const environment: Filing = {
  category: 'environment',
  attribution: 'environment',
  actionTarget: 'environment',
};
const contract: Filing = {
  category: 'tool_contract',
  attribution: 'server_contract',
  actionTarget: 'mcp_server',
};
const filings: Readonly<Record<FailureCategory, Filing>> = {
  setup: environment,
  metadata: contract,
  selection: contract,
  arguments: contract,
  serverData: { category: 'tool_runtime', attribution: 'server_runtime', actionTarget: 'mcp_server' },
  userValue: {
    category: 'agent_behavior',
    attribution: 'agent_or_prompt',
    actionTarget: 'agent_configuration',
  },
  evaluator: { category: 'test_design', attribution: 'test_design', actionTarget: 'eval_case' },
};
const unfiled: Filing = { category: 'unknown', attribution: 'unknown', actionTarget: 'investigate' };

/** `total` is how many trials there were. */
export function findingOf(runId: string, cluster: Cluster, total: number): Finding {
  const { fingerprint, category, stage, reason, toolName, check, count, titles, evidence } = cluster;
  const filing = category ? filings[category] : unfiled;
  const share = total === 0 ? 0 : count / total;
  const where = stage ? `at the stage ${stage}` : 'before any stage could be judged';
  return {
    id: `fnd_${sha256(`${runId} ${fingerprint}`).slice(0, 24)}`,
    signalFingerprint: fingerprint,
    title: titleOf(cluster),
    ...filing,
    actionability: category && count > 1 ? 'ready' : 'investigate',
    severity: share >= 0.5 ? 'high' : share >= 0.2 ? 'medium' : 'low',
    confidence: count >= 3 ? 'high' : count === 2 ? 'medium' : 'low',
    observed: `${count} of ${total} trials failed ${where} (${reason}): ${titles.map(quote).join(', ')}`,
    recommendation: actionFor(category, reason),
    acceptanceCriteria: [
      `None of the trials of ${titles.map(quote).join(', ')} fails with ${reason} when they are run again`,
    ],
    affected: { count, total, unit: 'iterations' },
    patternSlug: [stage ?? 'none', reason, check, toolName]
      .flatMap((part) => (part === undefined ? [] : [part.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60)]))
      .join('.'),
    evidence,
  };
}

const words: Readonly<Record<string, string>> = {
  connectFailed: 'The server cannot be connected to',
  toolsListFailed: 'The server does not list its tools',
  missingToolCall: 'A tool is not called',
  unexpectedToolCall: 'A tool is called that should not be',
  argumentMismatch: 'A tool is called with other arguments',
  toolError: 'A tool answers with an error',
  protocolError: 'A call of a tool fails',
  renderFailed: 'An interface is not rendered',
  predicateFailed: 'A check is not met',
  judgeObserved: 'The judge sees the goal missed',
  judgeFailed: 'The judge could not judge',
  evaluatorError: 'A check could not be evaluated',
  providerError: 'The model could not be asked',
  setupAborted: 'The trial could not be set up',
  lifecycleStopped: 'The trial was stopped',
};

function titleOf({ reason, toolName, check }: Cluster): string {
  const about = [
    ...(check === undefined ? [] : [check]),
    ...(toolName === undefined ? [] : [quote(toolName)]),
  ];
  return `${words[reason] ?? `Trials end with ${reason}`}${about.length > 0 ? `: ${about.join(' on ')}` : ''}`;
}
