import { setImmediate } from 'node:timers/promises';
import { operationList } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { arrange } from './arrangements.ts';
import { everyOperation, isOfConsole } from './every-operation.ts';
import { everyParameter, fillPath, makeParameters, realThings } from './path-parameters.ts';
import { newSession } from './people.ts';
import type { TestService } from './service.ts';
import { describeShot, encodeShot, type Shot } from './shot.ts';
import { studyArrangements } from './study-arrangements.ts';
import { type Hit, problemOf } from './verdict.ts';
import { Wire, type WireAnswer } from './wire.ts';

const byId = new Map(everyOperation.map((operation) => [operation.id, operation]));

/**
 * Operations that need new state for each shot: an environment is named once, a run is compared with one
 * before it, deletions need a resource, links work once, sessions end, and failures are counted.
 */
const toArrange = new Set([
  ...Object.keys(studyArrangements),
  'nameEnvironment',
  'closeTunnel',
  'getServerChecks',
  'deleteServerChecks',
  'cancelConformanceRun',
  'upsertConformanceIngestReport',
  'heartbeatConformanceIngestRun',
  'finalizeConformanceIngestRun',
  'createOrganizationRegistryServer',
  'deleteOrganizationRegistryServer',
  'uninstallRegistryServer',
  'startClaudeReadinessRun',
  'startOpenAIReadinessRun',
  'cancelReadinessRun',
  'getReadinessReport',
  'compareEvalRun',
  'renderServerWidget',
  'replayEvalRun',
  'getServerContractBaseline',
  'deleteServerContractBaseline',
  'requestEvalRunJudge',
  'requestEvalRunInsights',
  'backtestEvalRunJudge',
  'backtestEvalRun',
  'getWaveInsights',
  'getSwarmRunInsights',
  'readLink',
  'useLink',
  'endSession',
  'unlinkIdentity',
  'signIn',
  'requestReset',
]);

/** Sends hostile requests to a few disposable projects, and counts the answers by operation and status. */
export class FuzzRun {
  readonly wire: Wire;
  /** Answers by operation ID and status. */
  readonly tally = new Map<string, Map<number, number>>();
  private readonly service: TestService;
  private readonly targets: Record<string, string>[];
  /** The user who signs in and makes the targets. */
  private readonly userId: string;
  private readonly answeredBy = new Map<string, string>();
  private linesRead = 0;
  private sent = 0;

  private constructor(service: TestService, userId: string, targets: Record<string, string>[]) {
    this.service = service;
    this.userId = userId;
    this.targets = targets;
    this.wire = new Wire(Number(new URL(service.origin).port));
  }

  /** All lanes share the targets, so that requests contend for the same rows. */
  static async open(service: TestService, targets: number): Promise<FuzzRun> {
    const made = Array.from({ length: targets }, () => makeParameters(service, everyParameter));
    const { body: me } = await service.get('/me');
    return new FuzzRun(service, me.id as string, await Promise.all(made));
  }

  /** Throws if the contract does not allow the answer. */
  async sendAndJudge(shot: Shot): Promise<void> {
    const index = this.sent++ % this.targets.length;
    const shared = this.targets.at(index) as Record<string, string>;
    const arranged =
      toArrange.has(shot.operation?.id ?? '') && arrange(this.service, shot.operation as Operation, shared);
    // Another lane may have deleted the project, or arranged it before.
    const target = arranged ? await arranged.catch(() => shared) : shared;
    const { key } = this.service;
    const head = shot.method === 'HEAD';
    const url = await this.service.demoUrl();
    const real = { ...shot, body: shot.body && realThings(shot.body, url, target) };
    // A new session for each request, because some requests end theirs.
    const session =
      shot.operation && isOfConsole(shot.operation) ? await newSession(this.service, this.userId) : '';
    const answer = await this.wire.send(encodeShot(real, { ...target, key, session }), { head });
    const hit = shot.aimed ? (shot.operation as Operation) : await this.hitOf(answer);
    const problem = problemOf(answer, hit, { head, key, session });
    if (problem) throw new Error(`${problem}\n\n${describeShot(shot)}\n\n${describe(answer)}`);
    this.count(hit, answer.status);
    if (answer.status < 300 && typeof hit === 'object') await this.restore(hit, answer, index, shared);
  }

  /** Like `sendAndJudge`, for bytes that may hold several requests, or half of one. */
  async sendBytesAndJudge(bytes: Buffer): Promise<void> {
    let answers = await this.wire.converse(bytes);
    // A busy machine may answer late.
    if (answers.length === 0) answers = await this.wire.converse(bytes, 5_000);
    if (answers.length === 0 && bytes.toString().trim() !== '')
      throw new Error(`No answer\n\n${bytes.toString('latin1')}`);
    for (const answer of answers) {
      const problem = problemOf(answer, await this.hitOf(answer), { key: this.service.key });
      if (problem) throw new Error(`${problem}\n\n${bytes.toString('latin1')}\n\n${describe(answer)}`);
    }
  }

  /** The operation that answered: the service logs it under the request ID of its answer. */
  private async hitOf(answer: WireAnswer): Promise<Hit> {
    const id = answer.headers['x-request-id'] ?? '';
    // The service logs the line after sending the answer, which may be just after it arrived here.
    for (let turn = 0; turn < 5 && !this.answeredBy.has(id); turn++) {
      if (turn > 0) await setImmediate();
      this.readLog();
    }
    const name = this.answeredBy.get(id) ?? 'none';
    return name === 'keyManagement' || name === 'console' ? name : (byId.get(name) ?? 'none');
  }

  private readLog(): void {
    for (const text of this.service.logs.slice(this.linesRead)) {
      const line = JSON.parse(text) as { msg: string; requestId: string; operation: string };
      if (line.msg === 'Answered') this.answeredBy.set(line.requestId, line.operation);
    }
    this.linesRead = this.service.logs.length;
  }

  private count(hit: Hit, status: number): void {
    const name = typeof hit === 'object' ? hit.id : hit;
    const statuses = this.tally.get(name) ?? new Map<number, number>();
    this.tally.set(name, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }

  /** Deletes created resources and recreates deleted ones, so that lists stay short and targets exist. */
  private async restore(
    hit: Operation,
    answer: WireAnswer,
    index: number,
    target: Record<string, string>,
  ): Promise<void> {
    if (hit.method === 'DELETE') {
      // Parts of a resource, and resources made for this shot, leave the target as it was.
      if (this.targets[index] !== target || toArrange.has(hit.id) || !hit.path.endsWith('}')) return;
      this.targets[index] = await makeParameters(this.service, everyParameter);
      await this.service.delete(`/projects/${target['projectId']}`);
    } else if (hit.status === 201 && hasDeletion(hit)) {
      const { id } = JSON.parse(answer.text) as { id: string };
      await this.service.delete(`${fillPath(hit.path, target)}/${id}`);
    }
  }
}

function describe({ status, text }: WireAnswer): string {
  return `${status} ${text.slice(0, 1_000)}`;
}

function hasDeletion({ path }: Operation): boolean {
  return operationList.some(
    (other) => other.method === 'DELETE' && other.path.replace(/\/\{\w+\}$/, '') === path,
  );
}
