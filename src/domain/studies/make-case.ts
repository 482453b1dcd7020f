import type { Step } from '../../contract/eval-steps.ts';
import type { TurnMessage } from '../../models/messages.ts';
import * as chats from '../../platform/database/queries/chat-sessions.ts';
import * as sessions from '../../platform/database/queries/study-sessions.ts';
import { asStorable } from '../../platform/json/storable.ts';
import { conflict } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { addCase, suiteSize } from '../eval-suites/cases/add.ts';
import { newCase } from '../eval-suites/cases/definition.ts';
import { presentCase } from '../eval-suites/cases/present.ts';
import { withSuite, writeRevision } from '../eval-suites/suite.ts';
import { sessionOf } from './sessions.ts';

const maxPrompts = 20;
const maxTools = 20;

/** Creates an eval case from a visitor's session: the visitor's prompts, and the tools called without an error. */
export const createEvalCaseFromStudySession: Verb<'createEvalCaseFromStudySession'> = async (
  context,
  input,
) => {
  const { studyId, sessionId, body } = input;
  const { db } = context;
  const session = await sessionOf(context, { studyId, sessionId });
  const stored = await db.rows(chats.messagesFrom, { sessionId, from: 0, most: 2_500 });
  const prompts = stored
    .flatMap(({ role, content }) => wordsOf({ role, content } as TurnMessage))
    .slice(0, maxPrompts);
  // A session whose messages were never answered has only its first message.
  const said = prompts.length > 0 ? prompts : [session.firstMessage].filter((text) => text.trim() !== '');
  if (said.length === 0) throw conflict('This session has no messages', 'SESSION_EMPTY');
  const turns = await db.rows(sessions.turnsOf, { sessionIds: [sessionId] });
  const worked = turns.flatMap(({ calls }) => calls.flatMap(({ toolName, ok }) => (ok ? [toolName] : [])));
  const tools = [...new Set(worked)].slice(0, maxTools);
  const steps = said.map((prompt, at): Step => ({ id: String(at + 1), kind: 'prompt', prompt }));
  const list = tools.map((toolName) => ({ type: 'toolCalledAtLeastOnce' as const, toolName }));
  const title = body.title ?? titleOf(said[0] as string);
  const definition = newCase(
    { title, steps, ...(list.length > 0 && { checks: { mode: 'extend' as const, list } }) },
    '1',
  );
  const write = { suiteId: body.suiteId, action: 'eval-case.create' };
  return withSuite(context, write, async (trx, suite) => {
    const row = await addCase(context, trx, suite.id, { title, definition }, await suiteSize(trx, suite.id));
    await writeRevision(context, trx, suite, {}, { changedFields: ['cases'] });
    return presentCase(row, '1');
  });
};

function wordsOf({ role, content }: TurnMessage): string[] {
  if (role !== 'user') return [];
  const text = typeof content === 'string' ? content : content.map((part) => part.text).join('\n');
  return text.trim() === '' ? [] : [text];
}

function titleOf(text: string): string {
  const line = text.trim().replaceAll(/\p{Cc}+/gu, ' ');
  return asStorable(line.length > 120 ? `${line.slice(0, 119)}…` : line);
}
