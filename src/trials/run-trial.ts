import type { Check } from '../contract/eval-checks.ts';
import type { Step } from '../contract/eval-steps.ts';
import {
  type CheckRow,
  evaluateCheck,
  isGating,
  isServersAnswer,
  type TrialEvidence,
} from '../evaluation/index.ts';
import { cutOffWords } from '../models/cut-off.ts';
import { ModelFailure } from '../models/failure.ts';
import type { CallableModel } from '../models/model-call.ts';
import { runTurn, type TurnFinish, type TurnOutcome } from '../models/turn.ts';
import type { Clock } from '../platform/clock.ts';
import { recordTurn } from './record-turn.ts';
import { Recorder } from './recorder.ts';
import { Spans } from './spans.ts';
import type { CallAnswer, ToolBox, TrialServer } from './tools.ts';
import {
  type ShownCall,
  type ShownWidget,
  TrialWidgets,
  type WidgetParts,
  type WidgetStep,
} from './widgets.ts';

/** How a trial ended, independent of its grade. */
type TrialEnd = 'completed' | 'failed' | 'timed_out' | 'cancelled';

export interface StepOutcome {
  stepId: string;
  stepIndex: number;
  kind: Step['kind'];
  status: 'ok' | 'fail' | 'skipped' | 'pending';
  reason?: string;
  row?: CheckRow;
  /** IDs of the tool calls made. */
  toolCallIds?: string[];
  /** The ID of the widget's screenshot after the step. */
  pictureId?: string;
  /** For a widget step: its position in the recording. */
  video?: { blobId: string; kind: 'webm' | 'frames'; offsetMs: number };
}

export interface TrialOptions {
  steps: readonly Step[];
  box: ToolBox;
  /** Undefined for a case without prompts. */
  model?: CallableModel | undefined;
  system?: string | undefined;
  temperature?: number | undefined;
  /** Set if the case depends on widgets. */
  widgets?: WidgetParts | undefined;
  clock: Clock;
  signal: AbortSignal;
  /** Called with each completed model step and case step. */
  onProgress?: (progress: { stepIndex: number; kind: string; status: string; toolName?: string }) => void;
}

export interface TrialRecord {
  end: TrialEnd;
  evidence: TrialEvidence;
  steps: StepOutcome[];
  /** The failure of the model or provider that ended the trial. */
  modelFailure?: ModelFailure;
  error?: string;
  /** Why the model stopped in the last turn, unless it was done. */
  finish?: TurnFinish;
  recorder: Recorder;
  spans: Spans;
  widgets: readonly ShownWidget[];
}

const noBrowser =
  'browser_unavailable: this service has no browser to show the interface of the tool. The operator can install Chromium, or name one in DRYDOCK_BROWSER';

/** Runs the steps of a case in order, up to the first that fails. Rejects only if the trial must be retried. */
export async function runTrial(options: TrialOptions): Promise<TrialRecord> {
  const trial = new Trial(options);
  return trial.run();
}

class Trial {
  private readonly options: TrialOptions;
  private readonly recorder: Recorder;
  private readonly spans: Spans;
  private readonly outcomes: StepOutcome[] = [];
  private readonly started: number;
  private readonly widgets: TrialWidgets | undefined;
  /** Widget steps and their times. */
  private readonly filmed: { outcome: StepOutcome; shown: ShownWidget; at: number }[] = [];
  private promptIndex = -1;
  private userMessages = 0;
  private modelFailure: ModelFailure | undefined;
  private error: string | undefined;
  private finish: TurnFinish | undefined;

  constructor(options: TrialOptions) {
    this.options = options;
    const { box, widgets, steps, signal } = options;
    this.recorder = new Recorder(box, widgets?.browsers.available ?? false);
    this.started = options.clock();
    this.spans = new Spans(this.started);
    this.widgets =
      widgets &&
      new TrialWidgets(widgets, steps, signal, (call, shown) =>
        this.spans.widgetCall(call, shown, this.started),
      );
  }

  async run(): Promise<TrialRecord> {
    try {
      await this.runSteps();
    } finally {
      await this.widgets?.end();
    }
    for (const { outcome, shown, at } of this.filmed)
      if (shown.video) {
        const { blobId, kind, startedAt } = shown.video;
        outcome.video = { blobId, kind, offsetMs: Math.max(0, at - startedAt) };
      }
    return this.ended();
  }

  private async runSteps(): Promise<void> {
    const { steps, signal } = this.options;
    let goesOn = true;
    for (const [stepIndex, step] of steps.entries()) {
      const place = { stepId: step.id, stepIndex, kind: step.kind };
      if (!goesOn || signal.aborted) {
        this.outcomes.push({ ...place, status: 'skipped', reason: 'An earlier step ended the trial' });
        continue;
      }
      const at = Date.now();
      const { goesOn: next, shown, widget } = await this.carryOut(step, stepIndex);
      const rendered = this.widgets?.shown.findLast(({ call }) => call.stepIndex === stepIndex)?.pictureId;
      const outcome: StepOutcome = { ...place, ...(rendered && { pictureId: rendered }), ...shown };
      this.outcomes.push(outcome);
      if (widget) this.filmed.push({ outcome, shown: widget, at });
      this.options.onProgress?.({ stepIndex, kind: step.kind, status: shown.status });
      goesOn = next;
    }
  }

  private ended(): TrialRecord {
    const { signal } = this.options;
    const end: TrialEnd = signal.aborted
      ? 'cancelled'
      : this.modelFailure || this.error
        ? 'failed'
        : 'completed';
    const { recorder, spans, modelFailure, error, finish } = this;
    return {
      end,
      evidence: recorder.evidence(this.userMessages),
      steps: this.outcomes,
      ...(modelFailure && { modelFailure }),
      ...(error !== undefined && { error }),
      ...(finish !== undefined && { finish }),
      recorder,
      spans,
      widgets: this.widgets?.shown ?? [],
    };
  }

  private carryOut(step: Step, stepIndex: number): Promise<StepEnd> | StepEnd {
    switch (step.kind) {
      case 'prompt':
        return this.prompt(step.prompt, step.id, stepIndex);
      case 'toolCall':
        return this.pinnedCall(step, stepIndex);
      case 'interact':
        return this.onWidget({ type: 'interact', ...step.action }, (widgets) =>
          widgets.act(step.toolName, step.action),
        );
      case 'assert': {
        const { assertion } = step;
        if ('type' in assertion) return this.assert(assertion);
        return this.onWidget(assertion, (widgets) => widgets.assert(assertion));
      }
    }
  }

  private async prompt(prompt: string, stepId: string, stepIndex: number): Promise<StepEnd> {
    const { model, box, system, temperature, clock, signal, onProgress } = this.options;
    if (!model) throw new Error('a case with prompts needs a model');
    const promptIndex = ++this.promptIndex;
    this.userMessages++;
    const { messages } = this.recorder;
    messages.push({ role: 'user', content: prompt });
    const history = messages.slice(messages.findIndex(({ role }) => role === 'user'));
    const outcome = await runTurn<CallAnswer>({
      model,
      history,
      system,
      temperature,
      tools: box.offered,
      callTool: ({ name, input, signal: ends }) => box.call(name, input, ends),
      signal,
      clock,
      onStep: (step) => {
        const toolName = step.calls[0]?.name;
        onProgress?.({
          stepIndex: promptIndex,
          kind: 'model',
          status: step.calls.length > 0 ? 'called' : 'answered',
          ...(toolName !== undefined && { toolName: box.nameOf(toolName).toolName }),
        });
      },
    });
    messages.push(...outcome.messages);
    const finalText = outcome.messages.at(-1)?.role === 'assistant' ? outcome.text : '';
    this.recorder.turn({ promptIndex, prompt, finalText });
    const { recorder, spans } = this;
    const toolCallIds = recordTurn({ box, recorder, spans, modelId: model.modelId }, outcome, {
      promptIndex,
      stepId,
    });
    await this.showWidgets(outcome, promptIndex, stepIndex);
    return this.turnEnd(outcome, toolCallIds);
  }

  /** Shows the widgets of the model's tool calls, in order. */
  private async showWidgets(
    { steps }: TurnOutcome<CallAnswer>,
    promptIndex: number,
    stepIndex: number,
  ): Promise<void> {
    for (const { id, input, answer } of steps.flatMap(({ calls }) => calls)) {
      if (!answer?.server || 'failure' in answer.outcome || this.options.signal.aborted) continue;
      const { server, toolName, outcome } = answer;
      const call = { server, toolName, toolCallId: id, promptIndex, stepIndex, input: input ?? {} };
      await this.show({ ...call, result: outcome.result });
    }
  }

  /** Shows the widget of a call if the case depends on it. Returns false if the tool has none. */
  private async show(call: ShownCall): Promise<boolean> {
    const { toolName, promptIndex } = call;
    if (!this.widgets) return true;
    const from = this.options.clock() - this.started;
    const seen = await this.widgets.show(call);
    if (!seen) return false;
    this.spans.render(call, seen, from, this.options.clock() - this.started);
    const { status, problem, renderMs, consoleErrors } = seen;
    this.recorder.render({ toolName, promptIndex, status, problem, latencyMs: renderMs, consoleErrors });
    return true;
  }

  private async onWidget(
    predicate: object,
    work: (widgets: TrialWidgets) => Promise<WidgetStep>,
  ): Promise<StepEnd> {
    if (!this.widgets?.available) return missingEvidence(predicate, noBrowser);
    const { problem, blind, shown: widget, pictureId } = await work(this.widgets);
    const filmed = widget ? { widget } : {};
    const seen = pictureId === undefined ? {} : { pictureId };
    if (problem === undefined) return { goesOn: true, shown: { status: 'ok', ...seen }, ...filmed };
    if (blind) return { ...missingEvidence(predicate, problem), ...filmed };
    return { goesOn: false, shown: { status: 'fail', reason: problem, ...seen }, ...filmed };
  }

  /** A turn succeeds only if the model stopped by itself; any other end also ends the trial. */
  private turnEnd({ finish, error, steps }: TurnOutcome<CallAnswer>, toolCallIds: string[]): StepEnd {
    const calls = toolCallIds.length > 0 ? { toolCallIds } : {};
    if (finish === 'stop') return { goesOn: true, shown: { status: 'ok', ...calls } };
    this.finish = finish;
    if (finish === 'error' || finish === 'aborted') {
      const reason = error?.message ?? 'The model failed';
      // An error of this service: the trial is retried.
      if (finish === 'error' && !(error instanceof ModelFailure)) throw error ?? new Error(reason);
      if (error instanceof ModelFailure && error.kind !== 'aborted') this.modelFailure = error;
      else this.error = reason;
      return { goesOn: false, shown: { status: 'fail', reason, ...calls } };
    }
    // The model was cut off, so missing output proves nothing.
    this.error = cutOffWords(finish, steps.at(-1)?.finish.raw);
    return { goesOn: false, shown: { status: 'fail', reason: this.error, ...calls } };
  }

  /** A tool call made by the case itself, without a model. */
  private async pinnedCall(step: Extract<Step, { kind: 'toolCall' }>, stepIndex: number): Promise<StepEnd> {
    const { box, clock, signal } = this.options;
    const promptIndex = ++this.promptIndex;
    this.recorder.turn({ promptIndex, finalText: '' });
    const server = serverOf(box, step);
    const fail = (reason: string): StepEnd => {
      this.error = reason;
      return { goesOn: false, shown: { status: 'fail', reason } };
    };
    if (!server) return fail(`No server of this run is named ${JSON.stringify(step.serverName)}`);
    const toolCallId = `pinned-${stepIndex}`;
    const made = {
      toolCallId,
      toolName: step.toolName,
      serverId: server.id,
      arguments: step.arguments,
      promptIndex,
    };
    const from = clock() - this.started;
    const outcome = await server.call(step.toolName, step.arguments, signal);
    const to = clock() - this.started;
    this.recorder.call(made, outcome, from, to);
    this.spans.toolCall(made, outcome, from, to, step.id, undefined);
    this.recorder.messages.push(...pinnedMessages(made, outcome));
    const shown = { toolCallIds: [toolCallId] };
    if ('failure' in outcome) {
      const { message: reason, code } = outcome.failure;
      // A server that refuses the call has answered, whatever its error code for an unknown tool: the trial is graded
      // by that answer.
      const isGone = code !== undefined && !server.tools.some(({ name }) => name === step.toolName);
      if (!isGone && !isServersAnswer(code)) fail(reason);
      return { goesOn: false, shown: { status: 'fail', reason, ...shown } };
    }
    const { toolName, arguments: input, renderTimeoutMs: timeout } = step;
    const { result } = outcome;
    const call = { server, toolName, toolCallId, promptIndex, stepIndex, input, result, timeout };
    if (!(await this.show(call)) && this.widgets?.available)
      this.recorder.render({ toolName, promptIndex, status: 'no_ui_resource', consoleErrors: [] });
    return { goesOn: true, shown: { status: 'ok', ...shown } };
  }

  /** Checks the previous turn if the check supports turns, otherwise the trial so far. */
  private assert(check: Check): StepEnd {
    const evidence = this.recorder.evidence(this.userMessages);
    const scope = this.promptIndex < 0 ? undefined : { kind: 'turn' as const, promptIndex: this.promptIndex };
    const row = evaluateCheck(check, evidence, scope);
    const shown = row.passed ? { status: 'ok' as const } : { status: 'fail' as const, reason: row.reason };
    return { goesOn: row.passed || !isGating(check), shown: { ...shown, row } };
  }
}

/** Evidence that could not be collected is not the server's failure. */
function missingEvidence(predicate: object, reason: string): StepEnd {
  const row: CheckRow = { predicate, passed: false, status: 'error', reason };
  return { goesOn: false, shown: { status: 'fail', reason, row } };
}

interface StepEnd {
  goesOn: boolean;
  widget?: ShownWidget;
  shown: Pick<StepOutcome, 'status' | 'reason' | 'row' | 'toolCallIds' | 'pictureId'>;
}

function serverOf(
  { servers }: ToolBox,
  step: { serverId?: string | undefined; serverName: string },
): TrialServer | undefined {
  return servers.find(({ id, name }) =>
    step.serverId === undefined ? name === step.serverName : id === step.serverId,
  );
}

function pinnedMessages(
  call: { toolCallId: string; toolName: string; arguments: Record<string, unknown> },
  outcome: Awaited<ReturnType<TrialServer['call']>>,
): Recorder['messages'] {
  const { toolCallId, toolName, arguments: input } = call;
  const output =
    'failure' in outcome
      ? ({ type: 'error-text', value: outcome.failure.message } as const)
      : ({ type: 'text', value: JSON.stringify(outcome.result).slice(0, 20_000) } as const);
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] },
  ];
}
