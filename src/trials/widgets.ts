import type { BrowserEngine } from '../browser/engine.ts';
import { BrowserFailure } from '../browser/failure.ts';
import type { RecordedPart } from '../browser/recording.ts';
import type { Step, WidgetAssertion } from '../contract/eval-steps.ts';
import { version } from '../platform/version.ts';
import type { WidgetCall } from '../widgets/bridge.ts';
import { refusalOfCall, widgetUriOf } from '../widgets/declared.ts';
import type { LiveWidget, WidgetAction } from '../widgets/live.ts';
import { type RenderedWidget, renderWidget, unseen, type WidgetObservation } from '../widgets/render.ts';
import type { TrialServer } from './tools.ts';

/** The dependencies for showing widgets in a trial. */
export interface WidgetParts {
  browsers: BrowserEngine;
  /** Whether widgets get `window.openai`. Default: those that were written for it. */
  openAiCompat?: boolean | undefined;
  /** Stores the recording of a widget. Returns the ID, or undefined if that failed. */
  keep: (part: RecordedPart) => Promise<string | undefined>;
  keepPicture: (png: Buffer) => Promise<string | undefined>;
}

/** A tool call that may have a widget. */
export interface ShownCall {
  server: TrialServer;
  toolName: string;
  toolCallId: string;
  promptIndex: number;
  stepIndex: number;
  input: Record<string, unknown>;
  result: Record<string, unknown>;
  /** Milliseconds for the widget to initialize. */
  timeout?: number | undefined;
}

interface KeptVideo {
  blobId: string;
  kind: RecordedPart['kind'];
  startedAt: number;
  /** For a recording of pictures: the time and offset of each. */
  frames?: { atMs: number; offset: number; length: number }[];
}

/** A widget in the trace of a trial. */
export interface ShownWidget {
  call: ShownCall;
  observation: WidgetObservation;
  /** The ID of the screenshot after rendering. */
  pictureId?: string;
  video?: KeptVideo;
}

/** The result of a widget step. */
export interface WidgetStep {
  problem?: string;
  /** Not the server's fault: the browser was unavailable or crashed. */
  blind?: boolean;
  shown?: ShownWidget;
  /** The ID of the screenshot after the step. */
  pictureId?: string;
}

/** Maximum number of open widgets in a trial. */
const maxOpen = 4;

/**
 * The widgets of a trial. A widget that a later step needs stays open until the trial ends. A trial without a free
 * browser session closes one of its own widgets before it waits, so that trials cannot deadlock.
 */
export class TrialWidgets {
  readonly shown: ShownWidget[] = [];
  private readonly parts: WidgetParts;
  private readonly steps: readonly Step[];
  private readonly signal: AbortSignal;
  private readonly onCall: (call: WidgetCall, shown: ShownCall) => void;
  private readonly open = new Map<string, { widget: LiveWidget; shown: ShownWidget }>();
  private readonly records: boolean;

  constructor(
    parts: WidgetParts,
    steps: readonly Step[],
    signal: AbortSignal,
    onCall: (call: WidgetCall, shown: ShownCall) => void,
  ) {
    this.parts = parts;
    this.steps = steps;
    this.signal = signal;
    this.onCall = onCall;
    this.records = steps.some(({ kind }) => kind === 'interact');
  }

  get available(): boolean {
    return this.parts.browsers.available;
  }

  /** Renders the widget of a tool call. Undefined if the tool has none. */
  async show(call: ShownCall): Promise<WidgetObservation | undefined> {
    const uri = widgetUriOf(call.server.tools.find(({ name }) => name === call.toolName));
    if (uri === undefined) return undefined;
    const nothing = (...why: [Parameters<typeof unseen>[0], string]): WidgetObservation => {
      const observation = unseen(why[0], uri, why[1], 0);
      this.shown.push({ call, observation });
      return observation;
    };
    if (!this.available) return nothing('browser_unavailable', 'This service has no browser');
    const source = await call.server.widget(uri, this.signal);
    if ('problem' in source) return nothing('resource_read_failed', source.problem);
    const { observation, widget } = await this.render(call, source);
    const { screenshot } = observation;
    const pictureId = screenshot && (await this.parts.keepPicture(screenshot));
    const shown: ShownWidget = { call, observation, ...(pictureId !== undefined && { pictureId }) };
    this.shown.push(shown);
    await this.close(call.toolName);
    if (widget && observation.bridgeInitialized && this.isNamedAfter(call))
      this.open.set(call.toolName, { widget, shown });
    else await widget?.close();
    return observation;
  }

  async act(toolName: string, action: WidgetAction): Promise<WidgetStep> {
    return this.use(toolName, (widget) => widget.act(action, this.signal), true);
  }

  async assert(assertion: WidgetAssertion): Promise<WidgetStep> {
    return this.use(assertion.toolName, (widget) => widget.assert(assertion));
  }

  async end(): Promise<void> {
    await Promise.all([...this.open.keys()].map((toolName) => this.close(toolName)));
  }

  private async use(
    toolName: string,
    work: (widget: LiveWidget) => Promise<string | undefined>,
    changes = false,
  ): Promise<WidgetStep> {
    const open = this.open.get(toolName);
    if (!open) return this.absent(toolName);
    const { widget, shown } = open;
    try {
      const problem = await work(widget);
      noteErrors(open);
      const pictureId = changes || problem !== undefined ? await this.picture(widget) : undefined;
      return {
        shown,
        ...(problem !== undefined && { problem }),
        ...(pictureId !== undefined && { pictureId }),
      };
    } catch (error) {
      if (!(error instanceof BrowserFailure)) throw error;
      const gone = error.kind === 'crashed' || error.kind === 'closed';
      return gone
        ? { shown, blind: true, problem: `browser_unavailable: ${error.message}` }
        : { shown, problem: error.message };
    }
  }

  /** A failed screenshot does not fail the step. */
  private async picture(widget: LiveWidget): Promise<string | undefined> {
    const png = await widget.screenshot().catch(() => undefined);
    return png && this.parts.keepPicture(png);
  }

  private absent(toolName: string): WidgetStep {
    const last = this.shown.findLast(({ call }) => call.toolName === toolName);
    if (!last) return { problem: `There is no widget of ${toolName}: the tool was not called, or has none` };
    const { status, problem } = last.observation;
    const why = `The widget of ${toolName} is not there: ${status}${problem === undefined ? '' : `, ${problem}`}`;
    return { shown: last, problem: why, ...(status === 'browser_unavailable' && { blind: true }) };
  }

  private async render(
    call: ShownCall,
    source: Parameters<typeof renderWidget>[1]['source'],
  ): Promise<RenderedWidget> {
    const first = await this.renderOnce(call, source);
    if (first.observation.status !== 'browser_unavailable' || !this.available) return first;
    // Retries with a new browser after a crash.
    return this.renderOnce(call, source);
  }

  private async renderOnce(
    call: ShownCall,
    source: Parameters<typeof renderWidget>[1]['source'],
  ): Promise<RenderedWidget> {
    const { server, toolName, input, result, timeout } = call;
    if (this.open.size >= maxOpen) await this.closeOldest();
    const tool = server.tools.find(({ name }) => name === toolName);
    const render = (waitForRoom: boolean): Promise<RenderedWidget> =>
      renderWidget(this.parts.browsers, {
        source,
        tool,
        input,
        result,
        openAiCompat: this.parts.openAiCompat,
        timeout,
        record: this.records && this.isNamedAfter(call),
        waitForRoom,
        version,
        signal: this.signal,
        callTool: (name, args) => this.callTool(call, name, args),
        readResource: async (uri) => answered(await server.read(uri, this.signal)),
      });
    for (;;) {
      try {
        return await render(this.open.size === 0);
      } catch (error) {
        if (!(error instanceof BrowserFailure && error.kind === 'capacity') || this.open.size === 0)
          throw error;
        await this.closeOldest();
      }
    }
  }

  private async callTool(shown: ShownCall, name: string, args: Record<string, unknown>) {
    const refusal = refusalOfCall(shown.server.tools, name);
    if (refusal !== undefined) return { refusal };
    const startedAt = Date.now();
    const outcome = answered(await shown.server.call(name, args, this.signal));
    const error = 'refusal' in outcome ? outcome.refusal : undefined;
    this.onCall(
      {
        toolName: name,
        arguments: args,
        startedAt,
        endedAt: Date.now(),
        ...(error !== undefined && { error }),
      },
      shown,
    );
    return outcome;
  }

  private isNamedAfter({ toolName, stepIndex }: ShownCall): boolean {
    return this.steps.slice(stepIndex + 1).some((step) => {
      if (step.kind === 'interact') return step.toolName === toolName;
      return step.kind === 'assert' && 'kind' in step.assertion && step.assertion.toolName === toolName;
    });
  }

  private async closeOldest(): Promise<void> {
    const [oldest] = this.open.keys();
    if (oldest !== undefined) await this.close(oldest);
  }

  private async close(toolName: string): Promise<void> {
    const open = this.open.get(toolName);
    if (!open) return;
    this.open.delete(toolName);
    const { widget, shown } = open;
    noteErrors(open);
    try {
      const part = (await widget.recording())?.parts[0];
      const blobId = part && (await this.parts.keep(part));
      if (part && blobId !== undefined) shown.video = videoOf(part, blobId);
    } finally {
      await widget.close();
    }
  }
}

/** Adds console errors from steps to those that checks see. */
function noteErrors({ widget, shown }: { widget: LiveWidget; shown: ShownWidget }): void {
  const { consoleErrors } = shown.observation;
  consoleErrors.splice(0, consoleErrors.length, ...widget.consoleErrors);
}

function videoOf({ kind, startedAt, frames }: RecordedPart, blobId: string): KeptVideo {
  const pictures = frames.map(({ at, offset, length }) => ({ atMs: at - startedAt, offset, length }));
  return { blobId, kind, startedAt, ...(kind === 'frames' && { frames: pictures }) };
}

function answered(
  outcome: Awaited<ReturnType<TrialServer['call']>>,
): { result: Record<string, unknown> } | { refusal: string } {
  return 'failure' in outcome ? { refusal: outcome.failure.message } : { result: outcome.result };
}
