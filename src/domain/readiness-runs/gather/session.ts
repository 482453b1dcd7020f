import { McpFailure } from '../../../mcp/failures.ts';
import type { Conversation } from '../../../mcp/mcp.ts';
import { mapYielding } from '../../../platform/flow/yielding.ts';
import { type Evidence, type Known, known, type SessionFacts, unknown } from '../../../readiness/evidence.ts';
import { type ToolFacts, toolFacts } from '../../../readiness/index.ts';
import { adviceFor } from '../../live/advice.ts';
import { drain, type ListName } from '../../live/drain.ts';
import { targetOf } from '../../live/target.ts';
import { declaringWidgets } from '../../server-widgets/support.ts';
import { lacksGrant } from '../../servers/auth-method.ts';
import { briefly, type InspectedServer } from './inspected-server.ts';
import { interfaces } from './interfaces.ts';

export type SeenInSession = Pick<Evidence, 'session' | 'tools' | 'resources' | 'prompts' | 'ui' | 'calls'>;

const maxTools = 2_000;
const maxCalled = 10;
const maxTextLength = 300;

/** Tools, resources and other lists of the server, as an authorized client sees them. */
export async function session(place: InspectedServer, limit: number): Promise<SeenInSession> {
  const { context, signal, secrets } = place;
  const { server } = context;
  if (lacksGrant(server))
    return nothingSeen('The server is saved with OAuth and has no tokens; import them', 'oauth-grant');
  const clientCapabilities = declaringWidgets(server.settings.clientCapabilities);
  const target = targetOf(context, context.actor.organization.id, server, { clientCapabilities });
  try {
    return await context.mcp.once(target, { timeout: limit, signal }, async (conversation) => {
      try {
        return await look(place, conversation);
      } finally {
        secrets.push(...conversation.secrets());
      }
    });
  } catch (error) {
    if (signal.aborted) return nothingSeen('The run timed out');
    if (!(error instanceof McpFailure)) throw error;
    return unopened(error);
  }
}

/** A server failure is a finding; a missing credential only means that the server was not inspected. */
function unopened(failure: McpFailure): SeenInSession {
  const advice = briefly(adviceFor(failure));
  if (/^(unauthorized|scope|forbidden)$/.test(failure.kind)) return nothingSeen(advice, 'credentials');
  if (/^(address|busy|cancelled)$/.test(failure.kind)) return nothingSeen(advice);
  return { ...nothingSeen('No MCP session was opened'), session: known({ open: false, problem: advice }) };
}

function nothingSeen(reason: string, missing?: string): SeenInSession {
  const part = unknown(reason, missing);
  return { session: part, tools: part, resources: part, prompts: part, ui: part, calls: part };
}

async function look(place: InspectedServer, conversation: Conversation): Promise<SeenInSession> {
  const { identity } = conversation;
  const { serverInfo, protocolVersion, transport, capabilities, instructions } = identity;
  const name = serverInfo?.['title'] ?? serverInfo?.['name'];
  const facts: SessionFacts = {
    open: true,
    protocolVersion: protocolVersion.slice(0, 50),
    transport,
    serverName: typeof name === 'string' ? name.slice(0, maxTextLength) : '',
    capabilities: Object.keys(capabilities).slice(0, 50),
    instructions: Boolean(instructions),
  };
  const listed = await list(conversation, 'tools');
  const tools: Known<ToolFacts[]> = !listed.known
    ? listed
    : listed.value.length > maxTools
      ? unknown(`The server lists ${listed.value.length} tools; at most ${maxTools} are inspected`)
      : known(await mapYielding(listed.value, toolFacts));
  const resources = await list(conversation, 'resources');
  const prompts = await list(conversation, 'prompts');
  const shown = resources.known ? resources.value : [];
  return {
    session: known(facts),
    tools,
    resources: counted(resources),
    prompts: counted(prompts),
    ui: tools.known ? await interfaces(conversation, tools.value, shown) : tools,
    calls: tools.known && place.allowSideEffects ? await callTools(conversation, tools.value) : notCalled,
  };
}

function counted(items: Known<unknown[]>): Known<number> {
  return items.known ? known(items.value.length) : items;
}

/** A list that cannot be read is unknown, with the reason. */
async function list(conversation: Conversation, name: ListName): Promise<Known<unknown[]>> {
  try {
    return known((await drain(conversation, name))?.items ?? []);
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    return unknown(briefly(`The ${name} could not be listed. ${adviceFor(error)}`));
  }
}

const notCalled = unknown('No tool was called');

/** Calls tools that need no arguments and are not annotated as destructive. */
async function callTools(
  conversation: Conversation,
  tools: readonly ToolFacts[],
): Promise<Evidence['calls']> {
  const harmless = tools.filter(
    ({ required, hints, problem }) => required === 0 && hints.destructive !== true && problem === undefined,
  );
  const made: { tool: string; problem?: string }[] = [];
  for (const { name } of harmless.slice(0, maxCalled)) {
    const problem = await problemOfCall(conversation, name);
    made.push({ tool: name, ...(problem !== undefined && { problem }) });
  }
  return known(made);
}

async function problemOfCall({ ask }: Conversation, name: string): Promise<string | undefined> {
  try {
    const { result } = await ask('tools/call', { name, arguments: {} });
    return result['isError'] === true ? 'answered with an error' : undefined;
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    return error.message.slice(0, maxTextLength);
  }
}
