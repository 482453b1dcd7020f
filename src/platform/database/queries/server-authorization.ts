import { type Db, statement } from '../database.ts';

/** The sealed values of a server, and the authorization server that its client secret was first sent to. */
export interface SealedClient {
  sealedId: string;
  keyId: string;
  ciphertext: Buffer;
  issuer: string | null;
}

const findClient = statement<SealedClient>(
  'server-authorization.client',
  `select v.id as "sealedId", v.key_id as "keyId", v.ciphertext, s.client_secret_issuer as issuer
   from servers s join sealed_values v on v.id = s.sealed_id where s.id = $1`,
);
// The first issuer stays. Nothing is bound when the values were edited since they were read.
const bind = statement<{ issuer: string }>(
  'server-authorization.bind',
  `update servers set client_secret_issuer = coalesce(client_secret_issuer, $3)
   where id = $1 and sealed_id = $2 returning client_secret_issuer as issuer`,
);
const unbind = statement(
  'server-authorization.unbind',
  'update servers set client_secret_issuer = null where id = $1 and client_secret_issuer is not null',
);

/** Undefined when nothing secret is saved with the server. */
export function findSealedClient(db: Db, serverId: string): Promise<SealedClient | undefined> {
  return db.row(findClient, [serverId]);
}

/** The issuer that the client secret is for from now on; undefined when the server was edited meanwhile. */
export async function bindClientSecret(
  db: Db,
  serverId: string,
  sealedId: string,
  issuer: string,
): Promise<string | undefined> {
  return (await db.row(bind, [serverId, sealedId, issuer]))?.issuer;
}

/** Another client secret is for whom the server names when it is first used. */
export async function unbindClientSecret(db: Db, serverId: string): Promise<void> {
  await db.run(unbind, [serverId]);
}

// About the server as it was when it was called: not when it was edited or got other tokens since.
const demand = statement(
  'server-authorization.demand',
  `update servers s set oauth_demanded = $4
   where s.id = $1 and s.revision = $2 and s.oauth_demanded <> $4
     and (select g.id from oauth_grants g where g.server_id = s.id) is not distinct from $3`,
);
const forgetDemand = statement(
  'server-authorization.forget-demand',
  'update servers set oauth_demanded = false where id = $1 and oauth_demanded',
);

/** Whether the server asked for OAuth when it was last called. Not an edit: nobody saved anything. */
export async function setOAuthDemanded(
  db: Db,
  { id, revision, grantId }: { id: string; revision: number; grantId: string | null },
  demanded: boolean,
): Promise<void> {
  await db.run(demand, [id, revision, grantId, demanded]);
}

/** The next call tells, now that the server is reached or authorized otherwise. */
export async function forgetOAuthDemand(db: Db, serverId: string): Promise<void> {
  await db.run(forgetDemand, [serverId]);
}
