import { Refusal } from '../contract/errors.ts';
import type { Operation, Route } from '../contract/operation.ts';
import { vanishedReference } from '../platform/database/database.ts';
import { DatabaseUnavailable } from '../platform/database/losses.ts';
import { onceInTransaction, onceUnderClaim } from './base/idempotency.ts';
import { type Given, readInput, readParams } from './base/input.ts';
import { notFound } from './base/refusals.ts';
import { admit, admitPerson, noSuchProject } from './context/access.ts';
import {
  type Actor,
  type Context,
  type GrantContext,
  type OperationTools,
  type PublicContext,
  publicContext,
  type RequestInfo,
  type Services,
} from './context/context.ts';
import { abortOnAccessLoss, withCleanup } from './identity/abort-on-access-loss.ts';
import {
  admitDirectoryGuest,
  authenticate,
  authenticatePerson,
  type Charge,
  type Credential,
  type SessionUse,
  signedOut,
} from './identity/authenticate.ts';
import type { LocalToken } from './identity/local-token.ts';
import { closedBy } from './limits/features.ts';
import { type AnyVerb, type Loaded, loadOperation } from './operations.ts';
import { accessEnded } from './parts/access-watch.ts';
import { findGrant } from './visits/grant.ts';

/** An authorized call that has not run yet. */
export interface Entered {
  operation: Route;
  params: Record<string, string>;
  context: PublicContext & Partial<Context> & Partial<GrantContext>;
  /** The original request, to authorize it again. */
  attempt: Attempt;
}

interface Attempt {
  operation: Route;
  credential: Credential;
  params: Record<string, string | undefined>;
  requestInfo: RequestInfo;
}

export interface EntranceOptions {
  services: Services;
  charge: Charge;
  /** Called for each request with a valid key. */
  used: (keyId: string) => void;
  /** Called periodically for a session in use, with its network address. */
  seen?: (use: SessionUse, address: string) => void;
  /** For commands on the service's machine. */
  local?: LocalToken | undefined;
  /** For operations that call others. */
  tools: (caller: Caller) => Promise<OperationTools>;
}

/** The caller of an operation that calls other operations. */
export interface Caller {
  entrance: Pick<Entrance, 'enter' | 'act'>;
  credential: Credential;
  requestInfo: RequestInfo;
}

/**
 * The single entry to operations on every surface: authenticates, charges the rate limit, resolves the path, enforces
 * the declared access, validates the input, then calls the verb.
 */
export class Entrance {
  private readonly options: EntranceOptions;

  constructor(options: EntranceOptions) {
    this.options = options;
  }

  /** Does all checks that need no body, so that unauthenticated callers cannot make a surface buffer data. */
  async enter(
    operation: Route,
    credential: Credential,
    params: Record<string, string | undefined>,
    requestInfo: RequestInfo,
  ): Promise<Entered> {
    return this.orUnavailable(this.letIn({ operation, credential, params, requestInfo }, this.options));
  }

  /** Turns a database outage into the same refusal on every surface. */
  private async orUnavailable<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw unavailable(error) ?? error;
    }
  }

  /**
   * Authorizes a call again after a slow body, since access may have ended meanwhile. Neither charged nor recorded
   * again.
   */
  async enterAgain({ attempt }: Entered): Promise<Entered> {
    return this.orUnavailable(this.letIn(attempt, withoutEffects));
  }

  private async letIn(attempt: Attempt, notes: Notes): Promise<Entered> {
    const { operation, credential, params, requestInfo } = attempt;
    const { services, local } = this.options;
    if (operation.access === 'public') {
      const context = publicContext(services, requestInfo);
      return { operation, params: readParams(operation, params), context, attempt };
    }
    if (isForPeople(operation)) return this.letInPerson(attempt, notes);
    if (operation.access === 'grant') return this.letInVisitor(attempt, notes);
    if (
      operation.access === 'directory reader' &&
      (await admitDirectoryGuest(services, credential, notes.charge))
    ) {
      const context = publicContext(services, requestInfo);
      return { operation, params: readParams(operation, params), context, attempt };
    }
    const path = {
      projectId: asText(params['projectId']),
      serverId: asText(params['serverId']),
      defaultProject: operation.defaultProject,
    };
    const account = await local?.accountFor(services.db, credential, path.projectId);
    const chosen = inOrganization(account ?? credential, asText(params['organizationId']));
    const caller = await authenticate(services.db, chosen, path, notes.charge, operation.budget);
    if (caller.actor.keyId !== undefined) notes.used(caller.actor.keyId);
    noteUse(notes, caller.use, requestInfo);
    services.backgroundThrottle.noteRequest(caller.actor.organization.id);
    const read = readParams(operation, params);
    const context = await admit(services, requestInfo, operation, caller, read);
    return { operation, params: read, context, attempt };
  }

  /** For operations of a person, independent of organizations. */
  private async letInPerson(attempt: Attempt, notes: Notes): Promise<Entered> {
    const { operation, credential, params, requestInfo } = attempt;
    const { services } = this.options;
    if (operation.area === 'Visits') chargeAddress(notes, requestInfo);
    const known = await authenticatePerson(services.db, credential, notes.charge);
    if (!known && operation.access !== 'visitor') throw signedOut();
    noteUse(notes, known?.use, requestInfo);
    const context = admitPerson(publicContext(services, requestInfo), operation, known?.person);
    return { operation, params: readParams(operation, params), context, attempt };
  }

  /** For visitors of a study. The grant is looked up with each request. */
  private async letInVisitor(attempt: Attempt, notes: Notes): Promise<Entered> {
    const { operation, credential, params, requestInfo } = attempt;
    const { services } = this.options;
    const grant = credential.kind === 'grant' ? await findGrant(services.db, credential.token) : undefined;
    if (!grant) {
      chargeAddress(notes, requestInfo);
      throw accessEnded();
    }
    notes.charge(grant.visitor.id, 'visits');
    const context = Object.assign(publicContext(services, requestInfo), { grant });
    return { operation, params: readParams(operation, params), context, attempt };
  }

  /** Authenticates a request that is no operation, such as a surface's list; charged as a poll. */
  async recognize(credential: Credential): Promise<Actor> {
    const { services, charge, used, local } = this.options;
    const account = await local?.accountFor(services.db, credential, undefined);
    const { actor } = await authenticate(services.db, account ?? credential, {}, charge, 'polls');
    if (actor.keyId !== undefined) used(actor.keyId);
    return actor;
  }

  /** Validates the input and calls the verb. */
  async act(
    { operation: route, params, context: entered, attempt }: Entered,
    given: Given,
  ): Promise<unknown> {
    const context = route.performs ? { ...entered, tools: await this.toolsFor(attempt) } : entered;
    const found = loadOperation(route);
    const loaded = found instanceof Promise ? await found : found;
    const { operation } = loaded;
    const read = readInput(operation, params, given);
    const closed = await closedBy(operation, context);
    if (closed) return closed.answer;
    const { alias } = operation;
    const answer = await this.carryOut(loaded, context, alias?.toInput?.(read) ?? read, given);
    return alias?.fromAnswer?.(answer) ?? answer;
  }

  private async carryOut(
    { target, verb }: Loaded,
    context: Entered['context'],
    input: Record<string, unknown>,
    given: Given,
  ): Promise<unknown> {
    const caller = abortOnAccessLoss(context, target);
    let stays = false;
    try {
      const answer = await callVerb(target, verb, context, input, given);
      stays = isStream(answer);
      return stays ? withCleanup(answer as AsyncIterable<unknown>, caller.stop) : answer;
    } catch (error) {
      throw caller.refusal() ?? overtaken(error, context) ?? unavailable(error) ?? error;
    } finally {
      if (!stays) caller.stop();
      // Visitors belong to no organization; background work yields to them as to another organization.
      this.options.services.backgroundThrottle.noteRequest(context.actor?.organization.id ?? 'visitors');
    }
  }

  /**
   * Admits the operations of one tool call. Charges the call once with its first operation, and once more for each
   * operation beyond `includedOperations`, so that no tool bypasses the rate limit.
   */
  forOneCall(): Caller['entrance'] {
    let admitted = 0;
    const charge: Charge = (payerId, budget) => {
      if (admitted === 0 || admitted >= includedOperations) this.options.charge(payerId, budget);
      admitted++;
    };
    const notes = { ...this.options, charge };
    return {
      enter: (operation, credential, params, requestInfo) =>
        this.orUnavailable(this.letIn({ operation, credential, params, requestInfo }, notes)),
      act: (entered, given) => this.act(entered, given),
    };
  }

  /** A request is charged once, whatever operations it calls; these have limits of their own. */
  private toolsFor({ credential, requestInfo }: Attempt): Promise<OperationTools> {
    const entrance: Caller['entrance'] = {
      enter: (operation, as, params, on) =>
        this.letIn({ operation, credential: as, params, requestInfo: on }, withoutEffects),
      act: (entered, given) => this.act(entered, given),
    };
    return this.options.tools({ entrance, credential, requestInfo });
  }
}

async function callVerb(
  operation: Operation,
  verb: AnyVerb,
  context: Entered['context'],
  input: Record<string, unknown>,
  given: Given,
): Promise<unknown> {
  const { idempotency } = operation;
  const replays = idempotency !== undefined && idempotency !== 'verb';
  const key = given.idempotencyKey ?? keyInBody(input);
  if (replays && key !== undefined && context.actor)
    return actOnce(context as Context, operation, input, key, verb);
  return verb(context, input);
}

function isStream(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

function unavailable(error: unknown): Refusal | undefined {
  if (!(error instanceof DatabaseUnavailable)) return undefined;
  return new Refusal('UNAVAILABLE', error.message, { retryAfter: error.retryAfter });
}

/** Operations covered by one charge of a tool call. Task tools take at most 12, unless lists have many pages. */
export const includedOperations = 30;

/** Side effects of admitting a caller: charging and recording. */
type Notes = Pick<EntranceOptions, 'charge' | 'used' | 'seen'>;
const withoutEffects: Notes = { charge: () => {}, used: () => {} };

function noteUse({ seen }: Notes, use: SessionUse | undefined, { visit }: RequestInfo): void {
  if (use) seen?.(use, visit?.().address ?? '');
}

/** A visitor not admitted yet can only be charged by address. */
function chargeAddress({ charge }: Notes, { visit }: RequestInfo): void {
  charge(`from ${visit?.().address}`, 'visits');
}

function isForPeople({ access }: Route): boolean {
  return access === 'visitor' || access === 'session' || access === 'operator';
}

/** The organization in the path selects one of the user's organizations. */
function inOrganization(credential: Credential, organizationId: string | undefined): Credential {
  if (credential.kind !== 'session' || organizationId === undefined) return credential;
  return { ...credential, organizationId };
}

/** PostgreSQL text cannot contain NUL, so such an ID is treated as missing. */
function asText(text: string | undefined): string | undefined {
  return text === undefined || text.includes('\0') ? undefined : text;
}

/** Some operations also accept the key in the body; the header takes precedence. */
function keyInBody(input: Record<string, unknown>): string | undefined {
  const { idempotencyKey } = (input['body'] ?? {}) as { idempotencyKey?: string };
  return idempotencyKey?.trim() || undefined;
}

async function actOnce(
  context: Context,
  operation: Operation,
  input: Record<string, unknown>,
  key: string,
  verb: AnyVerb,
): Promise<unknown> {
  const { actor, vault, db } = context;
  const scope = {
    organizationId: actor.organization.id,
    userId: actor.user.id,
    operation: operation.id,
    key,
  };
  // Fingerprint of the whole input, secrets included. Keyed, so that the stored value does not help to guess them.
  const request = { scope, requestHash: vault.fingerprint(JSON.stringify(input)) };
  if (operation.idempotency === 'claim') return onceUnderClaim(db, request, async () => verb(context, input));
  return onceInTransaction(db, request, async (trx) => verb({ ...context, db: trx }, input));
}

/**
 * A foreign key error: the caller's project, server or account was deleted after authorization. Answered as if it
 * never existed.
 */
function overtaken(error: unknown, context: Entered['context']): Refusal | undefined {
  const gone = vanishedReference(error);
  if (gone === undefined) return undefined;
  if (gone === 'project') return noSuchProject();
  if (gone === 'server') return notFound('server');
  if (context.grant) return accessEnded();
  const signedIn = 'person' in context || context.actor?.sessionId !== undefined;
  return signedIn ? signedOut() : new Refusal('UNAUTHORIZED', 'Invalid API key');
}
