import { setTimeout as delay } from 'node:timers/promises';
import { McpFailure } from '../../mcp/failures.ts';
import type { Mcp } from '../../mcp/mcp.ts';
import { findAuthorizationServer, type RefreshedTokens, refreshTokens } from '../../mcp/oauth.ts';
import type { Credential } from '../../mcp/target.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import * as grants from '../../platform/database/queries/grants.ts';
import * as authorization from '../../platform/database/queries/server-authorization.ts';
import { timeoutSignal } from '../../platform/flow/deadline.ts';
import { asStorable } from '../../platform/json/storable.ts';
import type { Log } from '../../platform/log.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { ServerSecrets } from '../base/server-secrets.ts';

/** The sealed part of a grant. */
export interface GrantSecrets {
  accessToken: string;
  refreshToken?: string;
  /** The secret imported with the tokens. */
  clientSecret?: string;
  /** Uses the secret saved with the server instead. */
  savedClientSecret?: true;
}

interface Held {
  grant: grants.GrantRow;
  secrets: GrantSecrets;
}

interface GrantsOptions {
  db: Db;
  vault: Vault;
  mcp: Mcp;
  clock: Clock;
  log: Log;
}

/** Milliseconds before expiry at which a token is refreshed, so that it does not expire during a call. */
const refreshBefore = 60_000;
/** Milliseconds for a refresh. */
const refreshTimeout = 15_000;
/** Maximum number of grants in memory. */
const maxCached = 5_000;
/** In seconds. Caps the lifetime that a token server names; the same limit as for imported tokens. */
const maxLifetime = 1_000_000_000;

/**
 * Access tokens of OAuth grants, refreshed when needed. Refresh tokens may be single-use, so one process at a time
 * refreshes a grant, and a refused token is first compared with the stored one: if they differ, it has already been
 * refreshed.
 */
export class Grants {
  private readonly options: GrantsOptions;
  private readonly known = new Map<string, Held>();
  private readonly refreshing = new Map<string, Promise<Held>>();

  constructor(options: GrantsOptions) {
    this.options = options;
  }

  credential(id: string): Credential {
    return { token: () => this.token(id), renew: (sent) => this.renew(id, sent) };
  }

  private async token(id: string): Promise<string> {
    const current = this.known.get(id) ?? (await this.load(id));
    const { expiresAt, updatedAt } = current.grant;
    const left = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - this.options.clock();
    // A short-lived token must not be refreshed with each request.
    const soon = Math.min(refreshBefore, ((expiresAt ?? 0) - updatedAt) / 4);
    if (left > soon || !refreshable(current)) return current.secrets.accessToken;
    try {
      return (await this.refresh(id, current.grant.version)).secrets.accessToken;
    } catch (error) {
      const final = error instanceof McpFailure && error.kind === 'unauthorized';
      // The authorization server is failing, but the current token still works.
      if (left > 0 && !final) return current.secrets.accessToken;
      throw error;
    }
  }

  private async renew(id: string, sent: string): Promise<string> {
    const current = await this.load(id);
    if (current.secrets.accessToken !== sent) return current.secrets.accessToken;
    if (!refreshable(current))
      throw new McpFailure(
        'unauthorized',
        'The server refused the imported token, and it cannot be refreshed',
      );
    return (await this.refresh(id, current.grant.version)).secrets.accessToken;
  }

  private async load(id: string): Promise<Held> {
    const { db, vault } = this.options;
    const grant = await db.row(grants.find, { id });
    if (!grant)
      throw new McpFailure('unauthorized', 'The imported tokens were deleted. Import them again', {
        grantGone: true,
      });
    if (grant.deadReason !== null)
      throw new McpFailure('unauthorized', grant.deadReason, { grantDead: true });
    const { sealedId, sealedKeyId: keyId, ciphertext } = grant;
    const loaded = { grant, secrets: vault.unseal({ id: sealedId, keyId, ciphertext }) as GrantSecrets };
    this.keep(id, loaded);
    return loaded;
  }

  private keep(id: string, loaded: Held): void {
    if (!this.known.has(id) && this.known.size >= maxCached) this.known.clear();
    this.known.set(id, loaded);
  }

  /** Shares one refresh per grant among all callers in this process. */
  private refresh(id: string, version: number): Promise<Held> {
    const under = this.refreshing.get(id);
    if (under) return under;
    const started = this.refreshOnce(id, version).finally(() => this.refreshing.delete(id));
    this.refreshing.set(id, started);
    return started;
  }

  private async refreshOnce(id: string, version: number): Promise<Held> {
    const { db, clock } = this.options;
    const ends = clock() + 2 * refreshTimeout;
    for (;;) {
      const current = await this.load(id);
      if (current.grant.version !== version) return current;
      if (!current.grant.refreshing && (await db.run(grants.claim, { id, version })) === 1)
        return this.exchange(current);
      if (clock() > ends)
        throw new McpFailure('timeout', 'Another process is refreshing the token and takes too long');
      await delay(50);
    }
  }

  private async exchange({ grant, secrets }: Held): Promise<Held> {
    const { db, mcp } = this.options;
    const signal = timeoutSignal(refreshTimeout);
    try {
      const authorizationServer = await findAuthorizationServer(
        mcp.outbound,
        grant.serverUrl,
        grant.authorizationServerUrl,
        signal,
      );
      const { issuer } = authorizationServer;
      const request = {
        resource: grant.resourceUrl ?? grant.serverUrl,
        clientId: grant.clientId ?? '',
        clientSecret: secrets.savedClientSecret
          ? await this.savedClientSecret(grant.serverId, issuer)
          : secrets.clientSecret,
        refreshToken: secrets.refreshToken ?? '',
      };
      const tokens = await refreshTokens(mcp.outbound, authorizationServer, request, signal);
      await this.store(grant, secrets, tokens, issuer);
      return await this.load(grant.id);
    } catch (error) {
      this.known.delete(grant.id);
      if (error instanceof McpFailure && error.facts.grantDead) {
        await db.run(grants.kill, { ...grant, reason: error.message });
        this.options.log.info('OAuth grant no longer valid', {
          serverId: grant.serverId,
          reason: error.message,
        });
      } else await db.run(grants.release, grant);
      throw error;
    }
  }

  /**
   * The client secret saved with the server, only for the authorization server that the server first named. The first
   * one is stored before the secret is sent, so that a compromised server cannot redirect the secret to another one.
   */
  private async savedClientSecret(serverId: string, issuer: string): Promise<string> {
    const { db, vault } = this.options;
    const sealed = await db.row(authorization.client, { serverId });
    const { clientSecret } = (sealed ? vault.unseal(sealed) : {}) as ServerSecrets;
    if (!sealed || clientSecret === undefined)
      throw notRefreshed(
        'the client secret was removed from the server. Save `clientSecret` again, or import the tokens with `clientInformation`',
      );
    const bind = { serverId, sealedId: sealed.id, issuer };
    const bound = sealed.issuer ?? (await db.row(authorization.bind, bind))?.issuer ?? null;
    if (bound === null) throw notRefreshed('the server was edited at the same time. Try again');
    if (new URL(bound).href !== new URL(issuer).href)
      throw notRefreshed(
        `the client secret was saved for ${bound}, and the server now names ${issuer}, which was sent nothing. If that is right, save \`clientSecret\` again`,
      );
    return clientSecret;
  }

  private async store(
    grant: grants.GrantRow,
    secrets: GrantSecrets,
    tokens: RefreshedTokens,
    issuer: string,
  ): Promise<void> {
    const { db, vault, clock } = this.options;
    const { accessToken, refreshToken, expiresIn } = tokens;
    const { organizationId, projectId } = grant;
    await db.transaction(async (trx) => {
      const sealedId = await vault.seal(
        trx,
        { organizationId, projectId },
        { ...secrets, accessToken, refreshToken },
      );
      // The old refresh token is spent, so the new one must be stored whatever `expires_in` says.
      const seconds = Math.min(Math.max(0, expiresIn ?? 0), maxLifetime);
      const expiresAt = expiresIn === undefined ? null : clock() + seconds * 1000;
      const scope = tokens.scope === undefined ? null : asStorable(tokens.scope);
      const { id, version } = grant;
      const renewed = { id, version, sealedId, expiresAt, scope, issuer };
      if ((await trx.run(grants.renew, renewed)) === 1) await vault.forget(trx, grant.sealedId);
      // Other tokens were imported meanwhile, so these are discarded.
      else await vault.forget(trx, sealedId);
    });
  }
}

function notRefreshed(why: string): McpFailure {
  return new McpFailure('unknown', `The token could not be refreshed: ${why}`);
}

function refreshable({ grant, secrets }: Held): boolean {
  return secrets.refreshToken !== undefined && grant.clientId !== null;
}
