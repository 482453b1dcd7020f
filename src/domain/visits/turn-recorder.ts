import type { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as sessions from '../../platform/database/queries/study-sessions.ts';
import * as visitors from '../../platform/database/queries/study-visitors.ts';
import { asStorable, storableJson } from '../../platform/json/storable.ts';
import type { CallAnswer } from '../../trials/tools.ts';
import { widgetUriOf } from '../../widgets/declared.ts';
import type { Begun } from '../chat-sessions/begin.ts';
import type { AskedCall, RanTurn } from '../chat-sessions/run-turn.ts';
import type { GrantContext } from '../context/context.ts';
import { scheduleAnalysis } from '../studies/analysis/schedule.ts';

/** Characters of JSON passed to a widget; a larger one is omitted. */
const maxOfWidget = 512 * 1024;
const maxWidgets = 20;
/** Characters of the visitor's message, and of a tool error. */
const maxAskedLength = 1_000;
const maxErrorLength = 300;

type KeptWidget = Omit<sessions.WidgetRow, 'sessionId' | 'calls'>;

/** Data stored with a turn besides messages: signals for detectors, and the data of its widgets. */
export class VisitTurnRecorder {
  readonly widgets = new Map<string, KeptWidget>();
  /** Calls the visitor declined. */
  readonly refused = new Set<string>();
  /** Milliseconds the turn waited for the visitor. */
  private waited = 0;
  private asking = 0;
  private askedAt = 0;

  /** Overlapping waits count once. */
  async waiting<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.asking++ === 0) this.askedAt = performance.now();
    try {
      return await work();
    } finally {
      if (--this.asking === 0) this.waited += performance.now() - this.askedAt;
    }
  }

  /** Receives a server's answer before it is truncated. */
  answered({ toolCallId, toolName, input }: AskedCall, { server, outcome }: CallAnswer): void {
    const tool = server?.tools.find(({ name }) => name === toolName);
    const uri = tool && widgetUriOf(tool);
    if (!server || uri === undefined || 'failure' in outcome || this.widgets.size >= maxWidgets) return;
    const widget = { toolCallId, serverId: server.id, tool, uri, input, result: outcome.result };
    const text = storableJson(widget);
    if (text.length <= maxOfWidget) this.widgets.set(toolCallId, JSON.parse(text) as KeptWidget);
  }

  /** Runs in the transaction that stores the turn or its failure. */
  async note(
    db: Db,
    { grant, clock }: GrantContext,
    { session, turn }: Begun,
    message: string,
    ran: RanTurn | undefined,
    failure: Refusal | undefined,
  ): Promise<void> {
    const { inputTokens = 0, outputTokens = 0 } = ran?.outcome.usage ?? {};
    const now = clock();
    const calls = this.callsOf(ran);
    await db.run(sessions.addTurn, {
      sessionId: session.id,
      turnId: turn.id,
      asked: asStorable(message.slice(0, maxAskedLength)),
      answered: !failure && ran !== undefined && ran.outcome.text.trim() !== '',
      error: failure ? asStorable(`${failure.code}: ${failure.message}`.slice(0, maxErrorLength)) : null,
      durationMs: Math.max(0, Math.round(Math.min(now - turn.startedAt - this.waited, 2_000_000_000))),
      calls,
      inputTokens,
      outputTokens,
      micros: ran?.model.spending.billedMicros ?? 0,
    });
    await db.run(sessions.touch, {
      sessionId: session.id,
      toolCalls: calls.length,
      authInterrupted: failure?.code === 'OAUTH_REQUIRED',
    });
    await db.run(visitors.seen, { id: grant.visitor.id });
    if (!failure)
      for (const widget of this.widgets.values())
        await db.run(sessions.keepWidget, { ...widget, sessionId: session.id });
    await db.run(sessions.forgetApprovals, { turnId: turn.id });
    await scheduleAnalysis(db, clock, grant.study.id, grant.project.organizationId);
  }

  /** Skips declined calls, which say nothing about the tool. */
  private callsOf(ran: RanTurn | undefined): sessions.TurnCall[] {
    const made = ran?.outcome.steps.flatMap(({ calls }) => calls) ?? [];
    return made.flatMap((call): sessions.TurnCall[] => {
      if (this.refused.has(call.id) || !ran) return [];
      const { toolName, serverId } = ran.offer.box.nameOf(call.name);
      const error = problemOf(call);
      return [
        {
          toolName: asStorable(toolName.slice(0, 200)),
          ...(serverId !== undefined && { serverId }),
          ok: error === undefined,
          ...(error !== undefined && { error: asStorable(error.slice(0, maxErrorLength)) }),
        },
      ];
    });
  }
}

type MadeCall = RanTurn['outcome']['steps'][number]['calls'][number];

function problemOf({ answer, invalid }: MadeCall): string | undefined {
  if (!answer) return invalid?.message ?? 'Not called';
  if (!answer.isError) return undefined;
  const { output, outcome } = answer;
  if ('failure' in outcome && outcome.failure.behind !== undefined) return outcome.failure.behind;
  return 'value' in output && typeof output.value === 'string' ? output.value : 'The tool failed';
}
