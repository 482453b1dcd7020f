import type { ConsoleOperationId } from '../contract/console/index.ts';
import { Refusal } from '../contract/errors.ts';
import { type OperationId, type Operations, operationList } from '../contract/index.ts';
import type { Alias, Operation } from '../contract/operation.ts';
import type { VisitOperationId } from '../contract/visit/index.ts';
import { vanishedReference } from '../platform/database/database.ts';
import { DatabaseUnavailable } from '../platform/database/losses.ts';
import { admit, admitPerson, noSuchProject } from './access.ts';
import {
  type Actor,
  type Context,
  type GrantContext,
  type Occasion,
  type OperationTools,
  type PublicContext,
  publicContext,
  type Services,
} from './context.ts';
import { onceInTransaction, onceUnderClaim } from './idempotency.ts';
import { accessEnded } from './identity/access-watch.ts';
import { accompany, untilRead } from './identity/accompany.ts';
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
import { type Given, readInput, readParams } from './input.ts';
import { closedBy } from './limits/features.ts';
import * as peoplesVerbs from './people/verbs.ts';
import { notFound } from './refusals.ts';
import type { Verb } from './verb.ts';
import * as allVerbs from './verbs.ts';
import { findGrant } from './visits/grant.ts';
import * as visitorsVerbs from './visits/verbs.ts';

/** Those that are others under another name have no verb of their own. */
type Aliases = {
  [Id in OperationId]: Operations[Id] extends { alias: Alias } ? Id : never;
}[OperationId];

/** A declared operation without a verb does not compile. */
const verbs: { [Id in Exclude<OperationId | ConsoleOperationId | VisitOperationId, Aliases>]: Verb<Id> } = {
  ...allVerbs,
  ...peoplesVerbs,
  ...visitorsVerbs,
};
const operations = new Map(operationList.map((operation) => [operation.id, operation]));
type AnyVerb = (context: unknown, input: unknown) => unknown;

/** Somebody who was let in to an operation, and has not acted yet. */
export interface Entered {
  operation: Operation;
  params: Record<string, string>;
  context: PublicContext & Partial<Context> & Partial<GrantContext>;
  /** What was asked for, to ask for it once more. */
  attempt: Attempt;
}

interface Attempt {
  operation: Operation;
  credential: Credential;
  params: Record<string, string | undefined>;
  occasion: Occasion;
}

export interface EntranceOptions {
  services: Services;
  charge: Charge;
  /** Called for each request whose key is valid. */
  used: (keyId: string) => void;
  /** Called now and then for a session that is used, with the network address it came from. */
  seen?: (use: SessionUse, address: string) => void;
  /** For commands on the machine of the service. */
  local?: LocalToken | undefined;
  /** For operations that call others. */
  tools: (caller: Caller) => Promise<OperationTools>;
}

/** Whoever asks for an operation, about to ask for others. */
export interface Caller {
  entrance: Pick<Entrance, 'enter' | 'act'>;
  credential: Credential;
  occasion: Occasion;
}

/**
 * The one way into an operation, whatever the surface: the credential is checked, the request charged, what the path
 * names looked up, the access that the contract declares enforced, the input validated, and only then the verb called.
 */
export class Entrance {
  private readonly options: EntranceOptions;

  constructor(options: EntranceOptions) {
    this.options = options;
  }

  /** All that can be said before a body is read: strangers cannot make a surface buffer anything. */
  async enter(
    operation: Operation,
    credential: Credential,
    params: Record<string, string | undefined>,
    occasion: Occasion,
  ): Promise<Entered> {
    return this.orUnavailable(this.letIn({ operation, credential, params, occasion }, this.options));
  }

  /** A database that is away is said to be away by every surface. */
  private async orUnavailable<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw unavailable(error) ?? error;
    }
  }

  /**
   * The same once more, for somebody whose request took its time to arrive: what opened the operation may have ended
   * meanwhile. It is neither charged nor noted again.
   */
  async enterAgain({ attempt }: Entered): Promise<Entered> {
    return this.orUnavailable(this.letIn(attempt, unnoticed));
  }

  private async letIn(attempt: Attempt, notes: Notes): Promise<Entered> {
    const { operation, credential, params, occasion } = attempt;
    const { services, local } = this.options;
    if (operation.access === 'public') {
      const context = publicContext(services, occasion);
      return { operation, params: readParams(operation, params), context, attempt };
    }
    if (isForPeople(operation)) return this.letInPerson(attempt, notes);
    if (operation.access === 'grant') return this.letInVisitor(attempt, notes);
    if (
      operation.access === 'directory reader' &&
      (await admitDirectoryGuest(services, credential, notes.charge))
    ) {
      const context = publicContext(services, occasion);
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
    noteUse(notes, caller.use, occasion);
    services.courtesy.asked(caller.actor.organization.id);
    const read = readParams(operation, params);
    const context = await admit(services, occasion, operation, caller, read);
    return { operation, params: read, context, attempt };
  }

  /** The same for what people do as themselves and not as members of an organization. */
  private async letInPerson(attempt: Attempt, notes: Notes): Promise<Entered> {
    const { operation, credential, params, occasion } = attempt;
    const { services } = this.options;
    if (operation.area === 'Visits') chargeAddress(notes, occasion);
    const known = await authenticatePerson(services.db, credential, notes.charge);
    if (!known && operation.access !== 'visitor') throw signedOut();
    noteUse(notes, known?.use, occasion);
    const context = admitPerson(publicContext(services, occasion), operation, known?.person);
    return { operation, params: readParams(operation, params), context, attempt };
  }

  /** The same for whoever was let in to a study: what opened it is looked up anew with each request. */
  private async letInVisitor(attempt: Attempt, notes: Notes): Promise<Entered> {
    const { operation, credential, params, occasion } = attempt;
    const { services } = this.options;
    const grant = credential.kind === 'grant' ? await findGrant(services.db, credential.token) : undefined;
    if (!grant) {
      chargeAddress(notes, occasion);
      throw accessEnded();
    }
    notes.charge(grant.visitor.id, 'visits');
    const context = Object.assign(publicContext(services, occasion), { grant });
    return { operation, params: readParams(operation, params), context, attempt };
  }

  /** Who asks for what is no operation, like a list of a surface; it is charged as a question that repeats. */
  async recognize(credential: Credential): Promise<Actor> {
    const { services, charge, used, local } = this.options;
    const account = await local?.accountFor(services.db, credential, undefined);
    const { actor } = await authenticate(services.db, account ?? credential, {}, charge, 'polls');
    if (actor.keyId !== undefined) used(actor.keyId);
    return actor;
  }

  /** Does what was asked for, with what was sent along. */
  async act(
    { operation: named, params, context: entered, attempt }: Entered,
    given: Given,
  ): Promise<unknown> {
    const context = named.performs ? { ...entered, tools: await this.toolsFor(attempt) } : entered;
    const { alias } = named;
    const operation = alias ? (operations.get(alias.of) as Operation) : named;
    const read = readInput(named, params, given);
    const closed = await closedBy(named, context);
    if (closed) return closed.answer;
    const answer = await this.carryOut(operation, context, alias?.toInput?.(read) ?? read, given);
    return alias?.fromAnswer?.(answer) ?? answer;
  }

  private async carryOut(
    operation: Operation,
    context: Entered['context'],
    input: Record<string, unknown>,
    given: Given,
  ): Promise<unknown> {
    const caller = accompany(context, operation);
    let stays = false;
    try {
      const answer = await this.callVerb(operation, context, input, given);
      stays = isStream(answer);
      return stays ? untilRead(answer as AsyncIterable<unknown>, caller.stop) : answer;
    } catch (error) {
      throw caller.refusal() ?? overtaken(error, context) ?? unavailable(error) ?? error;
    } finally {
      if (!stays) caller.stop();
      // Visitors of studies are of no organization; work gives way to them like to another one.
      this.options.services.courtesy.asked(context.actor?.organization.id ?? 'somebody');
    }
  }

  /**
   * Admits the operations of one tool call. The call is charged once, with its first operation; a call that takes more
   * than `includedOperations` is charged for each further one, so that no tool is a way around the rate limit.
   */
  forOneCall(): Caller['entrance'] {
    let admitted = 0;
    const charge: Charge = (payerId, budget) => {
      if (admitted === 0 || admitted >= includedOperations) this.options.charge(payerId, budget);
      admitted++;
    };
    const notes = { ...this.options, charge };
    return {
      enter: (operation, credential, params, occasion) =>
        this.orUnavailable(this.letIn({ operation, credential, params, occasion }, notes)),
      act: (entered, given) => this.act(entered, given),
    };
  }

  private async callVerb(
    operation: Operation,
    context: Entered['context'],
    input: Record<string, unknown>,
    given: Given,
  ): Promise<unknown> {
    const verb = verbs[operation.id as keyof typeof verbs] as AnyVerb;
    const { idempotency } = operation;
    const replays = idempotency !== undefined && idempotency !== 'verb';
    const key = given.idempotencyKey ?? keyInBody(input);
    if (replays && key !== undefined && context.actor)
      return actOnce(context as Context, operation, input, key, verb);
    return verb(context, input);
  }

  /** One request is charged once, whatever it does: what it may do has bounds of its own. */
  private toolsFor({ credential, occasion }: Attempt): Promise<OperationTools> {
    const entrance: Caller['entrance'] = {
      enter: (operation, as, params, on) =>
        this.letIn({ operation, credential: as, params, occasion: on }, unnoticed),
      act: (entered, given) => this.act(entered, given),
    };
    return this.options.tools({ entrance, credential, occasion });
  }
}

function isStream(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

function unavailable(error: unknown): Refusal | undefined {
  if (!(error instanceof DatabaseUnavailable)) return undefined;
  return new Refusal('UNAVAILABLE', error.message, { retryAfter: error.retryAfter });
}

/** Operations that one charge of a tool call pays for. Tools for tasks take at most 12, unless lists have many pages. */
export const includedOperations = 30;

/** What is done about whoever enters, besides letting them in. */
type Notes = Pick<EntranceOptions, 'charge' | 'used' | 'seen'>;
const unnoticed: Notes = { charge: () => {}, used: () => {} };

function noteUse({ seen }: Notes, use: SessionUse | undefined, { visit }: Occasion): void {
  if (use) seen?.(use, visit?.().address ?? '');
}

/** Whoever comes by a link and is not let in yet has nothing else to be charged by. */
function chargeAddress({ charge }: Notes, { visit }: Occasion): void {
  charge(`from ${visit?.().address}`, 'visits');
}

function isForPeople({ access }: Operation): boolean {
  return access === 'visitor' || access === 'session' || access === 'operator';
}

/** The organization in the path is the one that somebody with several means. */
function inOrganization(credential: Credential, organizationId: string | undefined): Credential {
  if (credential.kind !== 'session' || organizationId === undefined) return credential;
  return { ...credential, organizationId };
}

/** The database cannot be asked for what it cannot hold. */
function asText(text: string | undefined): string | undefined {
  return text === undefined || text.includes('\0') ? undefined : text;
}

/** Some operations take the key there too; the header outdoes it. */
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
  // Of the whole input, secrets included; what is stored must not help to guess them.
  const request = { scope, requestHash: vault.fingerprint(JSON.stringify(input)) };
  if (operation.idempotency === 'claim') return onceUnderClaim(db, request, async () => verb(context, input));
  return onceInTransaction(db, request, async (trx) => verb({ ...context, db: trx }, input));
}

/** What the actor had when the request began was deleted before it could write: it is as if it never was. */
function overtaken(error: unknown, context: Entered['context']): Refusal | undefined {
  const gone = vanishedReference(error);
  if (gone === undefined) return undefined;
  if (gone === 'project') return noSuchProject();
  if (gone === 'server') return notFound('server');
  if (context.grant) return accessEnded();
  const signedIn = 'person' in context || context.actor?.sessionId !== undefined;
  return signedIn ? signedOut() : new Refusal('UNAUTHORIZED', 'Invalid API key');
}
