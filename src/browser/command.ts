import type { z } from 'zod';
import type { BrowserAgentCommand } from '../contract/browser-commands.ts';

/** What a session can be told to do. */
export type BrowserCommand = z.output<typeof BrowserAgentCommand>;
export type ObserveCommand = Extract<BrowserCommand, { op: 'observe' }>;
export type ActCommand = Extract<BrowserCommand, { op: 'act' }>;
export type InvokeCommand = Extract<BrowserCommand, { op: 'invoke_page_tool' }>;
export type ObserveAfter = NonNullable<ActCommand['observeAfter']>;
export type ActTarget = NonNullable<ActCommand['target']>;

/** What became of a command. */
export interface CommandResult {
  /** `unknown`: it was begun, and whether it had its effect cannot be told. */
  result: 'executed' | 'refused' | 'unknown';
  /** Why it was not executed, or what is not known. */
  reason?: string;
  /** Whether the policy refused it, or it could not be done. */
  refusal?: 'not-allowed' | 'refused';
  tabId: string;
  url: string;
  title: string;
  /** Differs when another document is shown. */
  state: string;
  tabs: { tabId: string; url: string; active: boolean }[];
  /** Waits for an answer. */
  dialog?: DialogRecord;
  observation?: Observation;
  /** Of a tool of the page. */
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
  /** When one request was asked for. */
  requestHeaders?: Record<string, string>;
}

/** A request that the guard did not let out. */
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
