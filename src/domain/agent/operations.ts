import type { ActionKind, ActionSeverity } from '../../contract/agent.ts';
import { type OperationId, operationList } from '../../contract/index.ts';
import { isSafe, isSecondName, type Operation, streamedAnswer } from '../../contract/operation.ts';
import { pageById } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';

interface Proposal {
  kind: ActionKind;
  confirmSeverity: ActionSeverity;
  buttonLabel: string;
}

/** An operation offered to the agent, and whether it is called or proposed. */
export interface AgentOperation {
  operation: Operation;
  mode: 'direct' | 'proposed';
  /** The form of a proposal. Also set for direct operations, since some of their calls need approval. */
  proposal: Proposal;
}

/**
 * Writes the agent may make directly: drafts that run nothing and that a person can edit, and cancelling a readiness
 * run.
 */
const authoring: ReadonlySet<string> = new Set<OperationId>([
  'createEvalSuite',
  'updateEvalSuite',
  'createEvalCase',
  'createEvalCases',
  'updateEvalCase',
  'ensureAdhocEnvironment',
  'nameEnvironment',
  'cancelReadinessRun',
]);

/** Offered although their paths name no project: one lists model names, the other gets the project from its body. */
const outside: ReadonlySet<string> = new Set<OperationId>(['listModels', 'createServerConnection']);

const spending: Proposal = { kind: 'start', confirmSeverity: 'spend', buttonLabel: 'Start' };
const reaching: Proposal = { kind: 'external', confirmSeverity: 'external', buttonLabel: 'Send' };
export const changingSchedule: Proposal = {
  kind: 'schedule',
  confirmSeverity: 'spend',
  buttonLabel: 'Save',
};

/** Always proposed, besides operations the contract marks as spending or calling tools; with their button labels. */
const proposals: Partial<Record<string, Proposal>> = {
  createServerConnection: { ...reaching, buttonLabel: 'Connect' },
  callTool: { ...reaching, buttonLabel: 'Call tool' },
  renderServerWidget: { ...reaching, buttonLabel: 'Render widget' },
  startClaudeReadinessRun: { ...reaching, buttonLabel: 'Check readiness' },
  startOpenAIReadinessRun: { ...reaching, buttonLabel: 'Check readiness' },
  startConformanceRun: { ...reaching, buttonLabel: 'Check conformance' },
  replayEvalRun: { ...reaching, buttonLabel: 'Replay run' },
  createEvalRun: { ...spending, buttonLabel: 'Run suite' },
  createEvalRunGroup: { ...spending, buttonLabel: 'Run suite' },
  rerunEvalRun: { ...spending, buttonLabel: 'Run again' },
  generateEvalCases: { kind: 'generate', confirmSeverity: 'spend', buttonLabel: 'Generate cases' },
  requestEvalRunInsights: { kind: 'generate', confirmSeverity: 'spend', buttonLabel: 'Get insights' },
  requestEvalRunJudge: { ...spending, buttonLabel: 'Judge run' },
  backtestEvalRunJudge: { ...spending, buttonLabel: 'Try rubric' },
  updateEvalSuiteSchedule: changingSchedule,
  cancelEvalRun: { kind: 'cancel', confirmSeverity: 'none', buttonLabel: 'Cancel run' },
} satisfies Partial<Record<OperationId, Proposal>>;

/** How the agent may use an operation; undefined if not at all. Deletions are never offered. */
function classified(operation: Operation): AgentOperation | undefined {
  const { id, path, method, upload, performs, spends, callsTools, response } = operation;
  const inProject = path.startsWith('/projects/{projectId}/') || outside.has(id);
  if (
    !inProject ||
    method === 'DELETE' ||
    isSecondName(operation) ||
    upload ||
    performs ||
    streamedAnswer(response)
  )
    return undefined;
  const proposal = proposals[id];
  if (proposal || spends || callsTools)
    return { operation, mode: 'proposed', proposal: proposal ?? spending };
  if (isSafe(operation)) return { operation, mode: 'direct', proposal: reaching };
  return authoring.has(id) ? { operation, mode: 'direct', proposal: changingSchedule } : undefined;
}

export const agentOperations: readonly AgentOperation[] = operationList.flatMap((operation) => {
  const one = classified(operation);
  return one ? [one] : [];
});

/** In contract order. */
export const listAgentOperations: Verb<'listAgentOperations'> = (context, page) => {
  const listed = agentOperations.map((one) => ({ id: one.operation.id, ...one }));
  const fetch = async (after: string, most: number) => {
    const next = listed.findIndex(({ id }) => id === after) + 1;
    return listed.slice(next, next + most);
  };
  return pageById(context, ['agent-ops'], page, fetch, ({ id, operation: { summary }, mode, proposal }) => ({
    operation: id,
    summary,
    mode,
    ...(mode === 'proposed' && { kind: proposal.kind, confirmSeverity: proposal.confirmSeverity }),
  }));
};
