import { z } from 'zod';
import { isDeeper } from '../platform/json/bounds.ts';
import { bounds, cut } from './bounds.ts';
import type { WidgetCsp } from './csp.ts';

/** Supported revisions of MCP Apps, newest first. */
const revisions = ['2026-01-26', '2025-11-21'] as const;

const id = z.union([z.string().max(200), z.number()]);
const open = z.record(z.string(), z.unknown());
const Message = z.object({
  jsonrpc: z.literal('2.0'),
  id: id.optional(),
  method: z.string().min(1).max(200).optional(),
  params: open.optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});
type Id = z.output<typeof id>;

const text = z.string().max(10_000);
const InitializeParams = z.looseObject({ protocolVersion: z.string().max(100).optional() });
const CallParams = z.object({ name: z.string().min(1).max(1_000), arguments: open.default({}) });
const ReadParams = z.object({ uri: z.string().min(1).max(8_192) });
const LinkParams = z.object({ url: z.string().min(1).max(8_192) });
const SizeParams = z.object({ height: z.number().optional() });
const LogParams = z.looseObject({ level: text.optional(), data: z.unknown() });

/** A tool call by a widget. */
export interface WidgetCall {
  toolName: string;
  arguments: Record<string, unknown>;
  startedAt: number;
  endedAt: number;
  /** Why the call failed, or the error in its result. */
  error?: string;
}

/** The response to a widget's request: a result, or the reason for a refusal. */
export type Answered = { result: Record<string, unknown> } | { refusal: string };

export interface BridgeOptions {
  /** The tool as declared by its server, with the arguments and result of the call. */
  tool: unknown;
  input: Record<string, unknown>;
  result: Record<string, unknown>;
  csp: WidgetCsp;
  viewport: { width: number; height: number };
  version: string;
  callTool: (name: string, args: Record<string, unknown>) => Promise<Answered>;
  readResource: (uri: string) => Promise<Answered>;
  /** Opens a link, and returns whether it was opened. Without it, links are only recorded. */
  openLink?: (url: string) => Promise<boolean>;
  /** Sends to the widget. Settles when the message is sent or cannot be. */
  send: (text: string) => Promise<void>;
  resize: (height: number) => void;
}

/**
 * The host side of the MCP Apps protocol. Answers the widget's `ui/initialize` with information about the host and,
 * once the widget is initialized, sends it the arguments and the result of its tool call. Messages of the widget are
 * untrusted.
 */
export class Bridge {
  readonly calls: WidgetCall[] = [];
  /** Descriptions of other requests to the host. */
  readonly requests: string[] = [];
  /** Settles when the tool result was sent to the widget. */
  readonly ready: Promise<void>;
  initialized = false;
  /** Number of messages received. */
  heard = 0;
  private readonly options: BridgeOptions;
  private settle = (): void => {};
  private readonly answers = new Map<Id, () => void>();
  private readonly running = new Set<Promise<void>>();
  private requestCount = 0;
  private requestLength = 0;
  private resultsSent = 0;

  constructor(options: BridgeOptions) {
    this.options = options;
    this.ready = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** Handles a message of the widget. */
  receive(raw: string): void {
    const message = Message.safeParse(parsed(raw)).data;
    // Widget libraries also post messages to themselves, which are not JSON-RPC and are ignored.
    if (!message) return;
    this.heard++;
    const { id: asked, method, params = {} } = message;
    if (method === undefined) {
      if (asked !== undefined) this.answers.get(asked)?.();
    } else if (asked === undefined) this.notified(method, params);
    else this.answer(asked, method, params, raw.length);
  }

  /** Waits until all requests of the widget have been answered. */
  async quiet(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** Asks the widget to end. Settles with any answer. */
  teardown(): Promise<void> {
    const teardownId = 'drydock-teardown';
    return new Promise((resolve) => {
      this.answers.set(teardownId, resolve);
      void this.post({ id: teardownId, method: 'ui/resource-teardown', params: { reason: 'closed' } });
    });
  }

  private notified(method: string, params: Record<string, unknown>): void {
    switch (method) {
      case 'ui/notifications/initialized':
        return this.sendResult();
      case 'ui/notifications/size-changed': {
        const { height } = SizeParams.safeParse(params).data ?? {};
        if (height !== undefined)
          this.options.resize(Math.min(Math.max(1, Math.ceil(height)), bounds.height));
        return;
      }
      case 'notifications/message': {
        const log = LogParams.safeParse(params).data;
        if (log) this.note(`log ${log.level ?? 'info'}: ${JSON.stringify(log.data) ?? ''}`);
        return;
      }
      case 'ui/notifications/request-teardown':
        return this.note('asked to be closed');
    }
  }

  /**
   * Sends the tool input and result, at most four times: a widget initializes once for MCP Apps and once for
   * `window.openai`.
   */
  private sendResult(): void {
    if (++this.resultsSent > 4) return;
    const { input, result } = this.options;
    this.initialized = true;
    void this.post({ method: 'ui/notifications/tool-input', params: { arguments: input } });
    void this.post({ method: 'ui/notifications/tool-result', params: result }).then(this.settle);
  }

  private answer(asked: Id, method: string, params: Record<string, unknown>, length: number): void {
    switch (method) {
      case 'ui/initialize':
        return this.reply(asked, this.introduction(params));
      case 'ping':
        return this.reply(asked, {});
      case 'tools/call':
        return this.serve(asked, length, () => this.callTool(params));
      case 'resources/read':
        return this.serve(asked, length, () => this.readResource(params));
      case 'ui/open-link':
        return this.openLink(asked, params, length);
      case 'ui/request-display-mode':
        return this.reply(asked, { mode: 'inline' });
      case 'ui/message':
      case 'ui/update-model-context':
        this.note(`${method}: ${JSON.stringify(params)}`);
        return this.reply(asked, {});
      default:
        return this.fail(asked, -32601, `This host does not support ${cut(method, 100)}`);
    }
  }

  private introduction(params: Record<string, unknown>): Record<string, unknown> {
    const { protocolVersion = '' } = InitializeParams.safeParse(params).data ?? {};
    const { csp, tool, viewport, version } = this.options;
    return {
      protocolVersion: revisions.find((revision) => revision === protocolVersion) ?? revisions[0],
      hostInfo: { name: 'drydock', version },
      hostCapabilities: {
        openLinks: {},
        serverTools: {},
        serverResources: {},
        logging: {},
        sandbox: { csp },
      },
      hostContext: {
        toolInfo: { tool },
        theme: 'light',
        displayMode: 'inline',
        availableDisplayModes: ['inline'],
        containerDimensions: { width: viewport.width, maxHeight: bounds.height },
        locale: 'en-US',
        timeZone: 'UTC',
        userAgent: `drydock/${version}`,
        platform: 'web',
        deviceCapabilities: { touch: false, hover: true },
      },
    };
  }

  private openLink(asked: Id, params: Record<string, unknown>, length: number): void {
    const { url = '' } = LinkParams.safeParse(params).data ?? {};
    const good = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    this.note(`${good ? 'link' : 'refused link'}: ${url}`);
    const { openLink } = this.options;
    if (!good) return this.fail(asked, -32602, 'Only http and https links are opened');
    if (!openLink) return this.reply(asked, {});
    this.serve(asked, length, async () =>
      (await openLink(url)) ? { result: {} } : { refusal: 'The link was not opened' },
    );
  }

  private async callTool(params: Record<string, unknown>): Promise<Answered> {
    const call = CallParams.safeParse(params).data;
    if (!call) return { refusal: 'tools/call needs a name, and arguments that are an object' };
    const record: WidgetCall = {
      toolName: call.name,
      arguments: call.arguments,
      startedAt: Date.now(),
      endedAt: 0,
    };
    this.calls.push(record);
    const answered = await this.options.callTool(call.name, call.arguments);
    record.endedAt = Date.now();
    if ('refusal' in answered) record.error = answered.refusal;
    else if (answered.result['isError'] === true) record.error = 'The result says isError';
    return answered;
  }

  private async readResource(params: Record<string, unknown>): Promise<Answered> {
    const read = ReadParams.safeParse(params).data;
    return read ? this.options.readResource(read.uri) : { refusal: 'resources/read needs a uri' };
  }

  /** Serves a request to the server, limited in number and total length because they are stored. */
  private serve(asked: Id, length: number, work: () => Promise<Answered>): void {
    const tooLong = this.requestLength + length > bounds.requested;
    if (++this.requestCount > bounds.requests || tooLong || this.running.size >= bounds.atOnce)
      return this.fail(asked, -32000, 'The widget has reached its request limit');
    this.requestLength += length;
    const run = async (): Promise<void> => {
      try {
        const answered = await work();
        if ('refusal' in answered) this.fail(asked, -32000, answered.refusal);
        else this.reply(asked, answered.result);
      } catch (error) {
        this.fail(asked, -32603, error instanceof Error ? cut(error.message) : 'The call failed');
      }
    };
    const running: Promise<void> = run().finally(() => this.running.delete(running));
    this.running.add(running);
  }

  private note(words: string): void {
    if (this.requests.length < bounds.entries) this.requests.push(cut(words));
  }

  private reply(asked: Id, result: Record<string, unknown>): void {
    void this.post({ id: asked, result });
  }

  private fail(asked: Id, code: number, message: string): void {
    void this.post({ id: asked, error: { code, message } });
  }

  private post(message: object): Promise<void> {
    return this.options.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}

/** Undefined for invalid or too deeply nested JSON. */
function parsed(raw: string): unknown {
  if (raw.length > bounds.message) return undefined;
  try {
    const value: unknown = JSON.parse(raw);
    return isDeeper(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
