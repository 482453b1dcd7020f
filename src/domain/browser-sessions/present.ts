import { type BrowserPolicy, listsOf } from '../../browser/policy.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { EntryRow, TurnEntry } from '../../platform/database/queries/browser-entries.ts';
import type { BrowserRow } from '../../platform/database/queries/browser-sessions.ts';
import { artifactUrl } from '../artifacts/read.ts';
import type { Context } from '../context/context.ts';
import type { KeptResult } from './entries.ts';

type AgentBrowser = OutputOf<Operations['browserAgentSession']>;
type Opened = OutputOf<Operations['chatSessionBrowserOpen']>;
type Receipt = OutputOf<Operations['browserAgentCommand']>;
type TraceEntry = OutputOf<Operations['browserAgentTrace']>['entries'][number];
type Screenshot = NonNullable<
  NonNullable<OutputOf<Operations['sendChatMessage']>['browser']>['screenshots']
>[number];

export function presentAgentBrowser(row: BrowserRow): AgentBrowser {
  return {
    sessionId: row.id,
    projectId: row.projectId,
    engine: 'chromium',
    state: row.state,
    bootId: row.bootId,
    runKey: row.runKey,
    profile: row.profile,
    policy: row.policy as AgentBrowser['policy'],
    effectivePolicy: listsOf(row.effective as BrowserPolicy),
    createdAt: row.createdAt,
    lastActiveAt: row.lastActiveAt,
    ...(row.closedReason !== null && { closedReason: row.closedReason }),
  };
}

export function presentSessionBrowser(row: BrowserRow): Opened['browser'] {
  return {
    browserSessionId: row.id,
    state: row.state,
    policy: row.policy as AgentBrowser['policy'],
    effectivePolicy: listsOf(row.effective as BrowserPolicy),
    ...(row.profile !== null && { profileId: row.profile }),
    ...(row.bootId !== null && { bootId: row.bootId }),
    controlledBy: null,
    box: null,
    lastActiveAt: row.lastActiveAt,
    ...(row.closedReason !== null && { closedReason: row.closedReason }),
  };
}

/** A command's result, fresh or from its stored receipt. */
export interface CommandWithResult {
  seq: number;
  commandId: string;
  bootId: string | null;
  kept: KeptResult;
  blobId: string | null;
}

export function presentReceipt(context: Context, row: BrowserRow, told: CommandWithResult): Receipt {
  const { seq, commandId, bootId, kept, blobId } = told;
  const { picture, ...result } = kept;
  return {
    sessionId: row.id,
    commandId,
    seq,
    ...(bootId !== null && { bootId }),
    ...result,
    ...(kept.refusal === 'not-allowed' && { policy: row.effective as AgentBrowser['policy'] }),
    ...(blobId !== null && {
      screenshot: {
        artifactId: commandId,
        url: pictureUrl(context, blobId),
        mediaType: 'image/png' as const,
        bytes: 0,
        ...picture,
      },
    }),
  };
}

/** A command that began but was never settled: its outcome is unknown. */
export function presentPending({ id }: BrowserRow, { seq, commandId }: EntryRow): Receipt {
  return {
    sessionId: id,
    commandId: commandId ?? '',
    seq,
    result: 'unknown',
    reason: 'The command has not ended or was interrupted. Observe the page before sending it again',
    replay: true,
  };
}

/** Fields shown in traces. Page content and pictures are left out. */
const traced = [
  'result',
  'reason',
  'refusal',
  'url',
  'title',
  'state',
  'invocationId',
  'text',
  'event',
  'tabCount',
];

export function presentEntry(entry: EntryRow): TraceEntry {
  const { seq, kind, at, commandId, bootId, tabId, command, blobId, turnId, toolCallId } = entry;
  const outcome = (entry.outcome ?? {}) as Partial<KeptResult>;
  const { observation, picture } = outcome;
  const told = Object.fromEntries(
    traced.flatMap((name) => (name in outcome ? [[name, outcome[name as 'url']]] : [])),
  );
  return {
    seq,
    kind,
    at,
    ...(commandId !== null && { commandId }),
    ...(bootId !== null && { bootId }),
    ...(tabId !== null && { tabId }),
    ...(turnId !== null && { turnId }),
    ...(toolCallId !== null && { toolCallId }),
    ...(command !== null && { command }),
    ...(kind === 'command' && { pending: entry.state === 'pending' }),
    ...told,
    ...(kind === 'command' && entry.state !== 'done' && { result: 'unknown' }),
    ...(observation && { observed: observation['mode'] }),
    ...(picture && blobId !== null && { artifactId: commandId, picture }),
  };
}

export function presentScreenshots(context: Context, sent: readonly TurnEntry[]): Screenshot[] {
  return sent.flatMap(({ blobId, turnId, toolCallId, toolName, stepIndex, size, at }): Screenshot[] => {
    if (blobId === null || toolCallId === null) return [];
    return [
      {
        toolCallId,
        stepIndex: stepIndex ?? 0,
        ...(turnId !== null && { turnId }),
        ...(toolName !== null && { toolName }),
        status: size === null ? 'unavailable' : 'ready',
        ...(size !== null && {
          url: pictureUrl(context, blobId),
          mediaType: 'image/png' as const,
          bytes: size,
        }),
        ts: at,
      },
    ];
  });
}

export function pictureUrl(context: Context, blobId: string): string {
  return artifactUrl(context, blobId);
}
