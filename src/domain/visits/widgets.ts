import { Refusal } from '../../contract/errors.ts';
import * as sessions from '../../platform/database/queries/study-sessions.ts';
import { timeoutSignal } from '../../platform/flow/deadline.ts';
import type { TrialServer } from '../../trials/tools.ts';
import { refusalOfCall } from '../../widgets/declared.ts';
import { openAll } from '../chat-sessions/target.ts';
import type { GrantContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { resolveComposition } from '../environments/resolve-composition.ts';
import { refuseDisabled } from './guest-caps.ts';
import { inProject } from './in-project.ts';
import { withVisitorErrors } from './visitor-errors.ts';

/** Requests per widget. */
const maxRequests = 100;
/** Time limit per request, in milliseconds. */
const requestTimeout = 60_000;

type Named = { visitSessionId: string; body: { toolCallId: string } };

export const openVisitWidget: Verb<'openVisitWidget'> = async (context, input) => {
  const widget = await widgetOf(context, input);
  const record = (value: unknown) => value as Record<string, unknown>;
  const shown = {
    tool: record(widget.tool),
    input: record(widget.input),
    result: record(widget.result),
  };
  const source = await withServer(context, widget, (server, signal) => server.widget(widget.uri, signal));
  const none = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
  // The cause is visible to the study's owners only.
  const problem = 'The server returned nothing that can be shown';
  if ('problem' in source) return { ...shown, problem, csp: none, openAi: false };
  return { ...shown, html: source.html, csp: source.csp, openAi: source.openAi };
};

/** Serves a widget's requests: only tools visible to apps, and only on its own server. */
export const useVisitWidget: Verb<'useVisitWidget'> = async (context, input) => {
  const { visitSessionId: sessionId, body } = input;
  const widget = await widgetOf(context, input);
  const { toolCallId } = widget;
  const counted = await context.db.row(sessions.countWidgetRequest, {
    sessionId,
    toolCallId,
    most: maxRequests,
  });
  if (!counted) return { refusal: `A widget can make at most ${maxRequests} requests` };
  return withServer(context, widget, async (server, signal) => {
    const refusal = body.method === 'tools/call' ? refusalOfCall(server.tools, body.name) : undefined;
    if (refusal !== undefined) return { refusal };
    const outcome =
      body.method === 'tools/call'
        ? await server.call(body.name, body.arguments, signal)
        : await server.read(body.uri, signal);
    return 'failure' in outcome ? { refusal: outcome.failure.message } : { result: outcome.result };
  });
};

async function widgetOf(
  { db, grant }: GrantContext,
  { visitSessionId, body }: Named,
): Promise<sessions.WidgetRow> {
  const { toolCallId } = body;
  const which = { sessionId: visitSessionId, toolCallId, visitorId: grant.visitor.id };
  const widget = await db.row(sessions.findWidget, which);
  if (!widget) throw new Refusal('NOT_FOUND', 'No widget for this tool call in this conversation');
  return widget;
}

/** The server of a widget, while it belongs to the study. */
function withServer<Answer>(
  context: GrantContext,
  { serverId }: sessions.WidgetRow,
  work: (server: TrialServer, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const { grant } = context;
  return withVisitorErrors(async () => {
    refuseDisabled(grant);
    const composition = await resolveComposition(context.db, {
      projectId: grant.project.id,
      environmentId: grant.study.environmentId,
      startedBy: grant.visitor.id,
    });
    if (!composition.servers.some(({ id }) => id === serverId))
      throw new Refusal('NOT_FOUND', "This widget's server is no longer part of the study");
    const signal = AbortSignal.any([context.callerGone(), timeoutSignal(requestTimeout)]);
    const target = { composition, client: composition.client };
    const [server] = await openAll(inProject(context), target, [serverId], signal, true);
    return work(server as TrialServer, signal);
  });
}
