import type { CreatedResource, ProposedAction } from '../../contract/agent.ts';
import { Refusal } from '../../contract/errors.ts';
import { isSafe } from '../../contract/operation.ts';
import type { OfferedTool, ToolAnswer, ToolRequest } from '../../models/turn.ts';
import { withTimeout } from '../../platform/flow/deadline.ts';
import { configuredOrigin, type PerformingContext, type ToolText } from '../context/context.ts';
import { findSuite } from '../eval-suites/suite.ts';
import { boundToProject, isWithheld } from './bounds.ts';
import { createdBy } from './created.ts';
import { type AgentOperation, agentOperations, changingSchedule } from './operations.ts';
import { proposalOf } from './proposal.ts';
import { ServerTextTracker } from './server-text-tracker.ts';

/** Limits of one turn. */
const maxCalls = 100;
const maxProposals = 20;
/** Characters of data sent to the model in one turn; afterwards each result is cut to `minResultChars`. */
const maxTurnChars = 300_000;
const maxResultChars = 8000;
const minResultChars = 500;
/** Milliseconds to wait for running calls after the turn is over. */
const endTimeout = 5000;

/** Characters. A longer input schema goes to the model without the body, which the model can ask for. */
const maxSchemaChars = 5000;

const describeTool: OfferedTool = {
  name: 'describe_operation',
  description: 'The JSON Schema of the body of an operation, where its own description leaves it out.',
  inputSchema: { type: 'object', properties: { operation: { type: 'string' } }, required: ['operation'] },
};

type Arguments = Record<string, unknown>;

/** All actions of the agent in one turn, with their results. The agent has no other way to act. */
export class TurnActions {
  readonly toolCalls: { operation: string }[] = [];
  readonly createdResources: CreatedResource[] = [];
  readonly proposedActions: ProposedAction[] = [];
  readonly offered: OfferedTool[];
  private readonly context: PerformingContext;
  private readonly conversationId: string | undefined;
  private readonly known: Map<string, AgentOperation>;
  private readonly said = new ServerTextTracker();
  private readonly underWay = new Set<Promise<unknown>>();
  private told = 0;

  /** Without a conversation there is no user to approve, so operations that need approval are not offered. */
  constructor(context: PerformingContext, conversationId: string | undefined) {
    this.context = context;
    this.conversationId = conversationId;
    const usable = agentOperations.filter(({ mode }) => mode === 'direct' || conversationId !== undefined);
    this.known = new Map(usable.map((one) => [one.operation.id, one]));
    this.offered = [...usable.map((one) => this.offer(one)), describeTool];
  }

  async call({ name, input, signal }: ToolRequest): Promise<ToolAnswer> {
    const { text, isError } = await this.answer(name, input, signal).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      return { text: `${error.code}: ${error.message}`, isError: true };
    });
    this.told += text.length;
    return { output: { type: isError ? 'error-text' : 'text', value: text }, isError };
  }

  /**
   * Waits for running calls, up to a limit: a call begun before the turn was aborted may still create resources to
   * report.
   */
  async settled(): Promise<void> {
    if (this.underWay.size === 0) return;
    await withTimeout(endTimeout, Promise.allSettled(this.underWay), () => {});
  }

  private async answer(name: string, given: Arguments, signal: AbortSignal): Promise<ToolText> {
    if (name === describeTool.name) return this.describe(String(given['operation']));
    const one = this.operationCalled(name);
    const { operation } = one;
    const args = boundToProject(operation, given, this.context.project.id);
    if (one.mode === 'proposed') return this.propose(one, args);
    const approval = await this.approvalFor(one, args);
    if (approval) return this.propose(one, args, approval);
    if (this.toolCalls.length >= maxCalls)
      throw new Refusal('RATE_LIMITED', `A turn makes at most ${maxCalls} calls. Answer with what you have`);
    this.toolCalls.push({ operation: operation.id });
    const most = Math.max(minResultChars, Math.min(maxResultChars, maxTurnChars - this.told));
    const calling = this.perform(one, args, { signal, most });
    this.underWay.add(calling);
    return calling.finally(() => this.underWay.delete(calling));
  }

  private async perform(
    { operation }: AgentOperation,
    args: Arguments,
    options: { signal: AbortSignal; most: number },
  ): Promise<ToolText> {
    const { tools, project } = this.context;
    const result = await tools.call(operation, args, options);
    if (result.isError) return result;
    const serverId = args['serverId'];
    if (typeof serverId === 'string') this.said.record(serverId, result.value);
    const pages = `${configuredOrigin(this.context)}/console/projects/${encodeURIComponent(project.id)}`;
    this.createdResources.push(...createdBy(operation.id, args, result.value, pages));
    return result;
  }

  /** The form of the proposal if this call of a direct operation needs approval; otherwise undefined. */
  private async approvalFor(
    { operation, proposal }: AgentOperation,
    { serverId, suiteId, body }: Arguments,
  ): Promise<AgentOperation['proposal'] | undefined> {
    if (isSafe(operation))
      return typeof serverId === 'string' && !this.said.coverAll(serverId, body) ? proposal : undefined;
    // A scheduled suite runs and spends without further review, so changing it needs approval.
    if (typeof suiteId !== 'string') return undefined;
    const suite = await findSuite(this.context, suiteId);
    return suite.scheduleEnabled ? changingSchedule : undefined;
  }

  private propose(one: AgentOperation, args: Arguments, proposal = one.proposal): ToolText {
    if (this.conversationId === undefined)
      throw new Refusal(
        'FORBIDDEN',
        'This operation needs user approval, which is only possible in a conversation. Say so in the answer',
      );
    if (this.proposedActions.length >= maxProposals)
      throw new Refusal('RATE_LIMITED', `A turn proposes at most ${maxProposals} actions`);
    const action = proposalOf(one.operation, proposal, args, this.conversationId);
    if (!this.proposedActions.some(({ actionId }) => actionId === action.actionId))
      this.proposedActions.push(action);
    const text = `Not done. Proposed to the user as ${action.actionId}; it happens if the user approves, after this turn.`;
    return { text, isError: false };
  }

  private operationCalled(name: string): AgentOperation {
    const one = this.known.get(name);
    if (!one) throw new Refusal('NOT_FOUND', `Unknown operation ${JSON.stringify(name)}`);
    return one;
  }

  private describe(id: string): ToolText {
    const { operation } = this.operationCalled(id);
    const { inputSchema } = this.context.tools.describe(operation);
    return {
      text: JSON.stringify({ arguments: inputSchema, exampleBody: operation.example }),
      isError: false,
    };
  }

  private offer({ operation, mode }: AgentOperation): OfferedTool {
    const { description, inputSchema } = this.context.tools.describe(operation);
    const { projectId: _, body, ...properties } = inputSchema['properties'] as Record<string, Arguments>;
    const { required = [], ...rest } = inputSchema as { required?: string[] };
    const long = JSON.stringify(inputSchema).length > maxSchemaChars;
    const { $defs: definitions, ...short } = rest as Arguments;
    const told = long
      ? { type: 'object', description: `Call ${describeTool.name} to get the schema before the first call.` }
      : body && withoutWithheld(body);
    return {
      name: operation.id,
      description:
        mode === 'proposed' ? `${description} Only proposed: the user approves it or not.` : description,
      inputSchema: {
        ...short,
        properties: { ...properties, ...(told && { body: told }) },
        required: required.filter((name) => name !== 'projectId'),
        ...(!long && definitions !== undefined && { $defs: definitions }),
      },
    };
  }
}

function withoutWithheld(body: Arguments): Arguments {
  const properties = body['properties'] as Record<string, unknown> | undefined;
  if (!properties) return body;
  return {
    ...body,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !isWithheld(name))),
  };
}
