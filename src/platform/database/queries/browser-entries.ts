import { bigint, integer, json, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const entries = table('browser_entries', {
  sessionId: text,
  seq: integer,
  kind: oneOf<'command' | 'note' | 'event'>(),
  commandId: orNull(text),
  payloadHash: orNull(text),
  command: orNull(json<unknown>()),
  outcome: orNull(json<unknown>()),
  state: oneOf<'pending' | 'done' | 'unknown'>(),
  bootId: orNull(text),
  tabId: orNull(text),
  blobId: orNull(text),
  turnId: orNull(text),
  toolCallId: orNull(text),
  toolName: orNull(text),
  stepIndex: orNull(integer),
  at: time,
});
export type EntryRow = RowOf<typeof entries.columns>;

/**
 * The sequence number of the next entry. Locks the session, so that no other entry is added until the transaction ends.
 */
export const nextPlace = query(
  'browser-entries.next-place',
  `update browser_sessions set entry_count = entry_count + 1 where id = :sessionId
   returning entry_count as seq, state, closed_reason as "closedReason"`,
  { sessionId: text },
  { seq: integer, state: oneOf<'active' | 'sleeping' | 'closed'>(), closedReason: orNull(text) },
);
const written = [
  'sessionId',
  'seq',
  'kind',
  'commandId',
  'payloadHash',
  'command',
  'outcome',
  'state',
  'bootId',
  'tabId',
  'turnId',
  'toolCallId',
  'toolName',
] as const;
export const insert = query('browser-entries.insert', entries.insert(written), entries.pick(written));

export const findByCommand = query(
  'browser-entries.find-by-command',
  `select ${entries.all()} from browser_entries where session_id = :sessionId and command_id = :commandId`,
  { sessionId: text, commandId: text },
  entries.columns,
);
/** Records the result of a command. */
export const settle = query(
  'browser-entries.settle',
  `update browser_entries set state = :state, outcome = :outcome, boot_id = :bootId, blob_id = :blobId
   where session_id = :sessionId and seq = :seq`,
  entries.pick(['sessionId', 'seq', 'state', 'outcome', 'bootId', 'blobId']),
);
/** Ends a command without a known result, so that its browser counts as idle again. */
export const giveUp = query(
  'browser-entries.give-up',
  `update browser_entries set state = 'unknown' where session_id = :sessionId and seq = :seq and state = 'pending'`,
  { sessionId: text, seq: integer },
);
/** Deletes the entry of a command that never started. */
export const remove = query(
  'browser-entries.remove',
  'delete from browser_entries where session_id = :sessionId and seq = :seq',
  { sessionId: text, seq: integer },
);
export const list = query(
  'browser-entries.list',
  `select ${entries.all()} from browser_entries where session_id = :sessionId and seq > :after
     and (:commandId::text is null or command_id = :commandId) order by seq limit :most`,
  { sessionId: text, after: integer, commandId: orNull(text), most: bigint },
  entries.columns,
  { index: 'browser_entries_pkey' },
);

const pictured = {
  ...entries.pick(['turnId', 'toolCallId', 'toolName', 'stepIndex', 'bootId', 'blobId', 'at', 'sessionId']),
  size: orNull(bigint),
};
/** The messages sent in a turn, with the size of pictures. */
export const ofTurn = query(
  'browser-entries.of-turn',
  `select e.turn_id as "turnId", e.tool_call_id as "toolCallId", e.tool_name as "toolName",
     e.step_index as "stepIndex", e.boot_id as "bootId", e.blob_id as "blobId", e.at, e.session_id as "sessionId", b.size
   from browser_entries e left join blobs b on b.id = e.blob_id where e.turn_id = :turnId order by e.seq limit 200`,
  { turnId: text },
  pictured,
);
export type TurnEntry = RowOf<typeof pictured>;
export const noteStep = query(
  'browser-entries.note-step',
  `update browser_entries set step_index = :stepIndex where turn_id = :turnId and tool_call_id = :toolCallId`,
  { turnId: text, toolCallId: text, stepIndex: integer },
);
