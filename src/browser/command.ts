/** What a session can be told to do. Lengths are bounded by whoever takes commands from outside. */
export type BrowserCommand =
  | { op: 'back' | 'forward' | 'reload'; observeAfter?: ObserveAfter | undefined }
  | {
      op: 'navigate';
      url: string;
      newTab?: boolean | undefined;
      observeAfter?: ObserveAfter | undefined;
    }
  | ObserveCommand
  | ActCommand
  | InvokeCommand
  | { op: 'cancel_page_tool'; invocationId: string };

export type ObserveAfter = 'a11y' | 'screenshot' | 'none';

export interface ObserveCommand {
  op: 'observe';
  mode: ObserveMode;
  /** Which request of the network log, by the id that the log gave it. */
  requestId?: string | undefined;
  rootRef?: string | undefined;
  rootSelector?: string | undefined;
  filter?: 'interactive' | 'all' | undefined;
}

type ObserveMode =
  | 'a11y'
  | 'screenshot'
  | 'text'
  | 'dom'
  | 'console'
  | 'network'
  | 'dialog'
  | 'url'
  | 'page_tools';

export interface ActCommand {
  op: 'act';
  verb: Verb;
  target?: ActTarget | undefined;
  /** What to type, which key to press, which option, tab, direction or second target. */
  value?: string | undefined;
  /** The `state` of an earlier answer, or the address the page should be at. */
  expectedState?: string | undefined;
  observeAfter?: ObserveAfter | undefined;
}

export type Verb =
  | 'click'
  | 'type'
  | 'press'
  | 'scroll'
  | 'hover'
  | 'drag'
  | 'select'
  | 'close_tab'
  | 'activate_tab'
  | 'accept_dialog'
  | 'dismiss_dialog';

export type ActTarget = { ref: string } | { selector: string } | { coordinates: [number, number] };

export interface InvokeCommand {
  op: 'invoke_page_tool';
  toolKey: string;
  frameId?: string | undefined;
  input: unknown;
}

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
