import type { z } from 'zod';
import type { BrowserAgentCommand } from '../contract/browser-commands.ts';

/** A command for a browser session. */
export type BrowserCommand = z.output<typeof BrowserAgentCommand>;
export type ObserveCommand = Extract<BrowserCommand, { op: 'observe' }>;
export type ActCommand = Extract<BrowserCommand, { op: 'act' }>;
export type InvokeCommand = Extract<BrowserCommand, { op: 'invoke_page_tool' }>;
export type ObserveAfter = NonNullable<ActCommand['observeAfter']>;
export type ActTarget = NonNullable<ActCommand['target']>;

export interface CommandResult {
  /** `unknown`: the command has started, but whether it took effect is unknown. */
  result: 'executed' | 'refused' | 'unknown';
  /** Why the command was refused, what is unknown, or why the observation after it failed. */
  reason?: string;
  /** Only for a refused command: `not-allowed` by the policy, or `refused` because it is invalid or not possible. */
  refusal?: 'not-allowed' | 'refused';
  tabId: string;
  url: string;
  title: string;
  /** Changes when another document is shown. */
  state: string;
  tabs: { tabId: string; url: string; active: boolean }[];
  /** A dialog waiting for an answer. */
  dialog?: DialogRecord;
  observation?: Observation;
  /** Results of a page tool. */
  invocationId?: string;
  output?: unknown;
}

export interface DialogRecord {
  kind: string;
  message: string;
  defaultValue: string;
  at: number;
  outcome: 'open' | 'accepted' | 'dismissed';
}

export type Observation =
  | { mode: 'a11y' | 'text' | 'dom'; text: string; truncated: boolean }
  | { mode: 'screenshot'; png: Buffer; width: number; height: number }
  | { mode: 'console'; entries: ConsoleEntry[]; dropped: number }
  | { mode: 'network'; entries: NetworkEntry[]; dropped: number; refused: RefusedUrl[] }
  | { mode: 'dialog'; dialogs: DialogRecord[] }
  | { mode: 'url'; url: string; title: string }
  | { mode: 'page_tools'; tools: PageTool[] };

export interface ConsoleEntry {
  level: string;
  text: string;
  at: number;
  tabId: string;
}

export interface NetworkEntry {
  requestId: string;
  tabId: string;
  method: string;
  url: string;
  kind: string;
  at: number;
  status?: number;
  mimeType?: string;
  failure?: string;
  durationMs?: number;
  /** Present only when a single request is observed. */
  requestHeaders?: Record<string, string>;
}

/** A request that the guard blocked. */
export interface RefusedUrl {
  url: string;
  reason: string;
  at: number;
}

export interface PageTool {
  toolKey: string;
  frameId: string;
  name: string;
  description: string;
  inputSchema?: unknown;
}
