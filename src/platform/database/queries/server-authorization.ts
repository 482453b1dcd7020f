import { bytes, flag, integer, orNull, text } from '../columns.ts';
import { query } from '../query.ts';

/**
 * The encrypted values of a server, and the authorization server that first received its client secret. No row if
 * nothing secret is stored.
 */
export const client = query(
  'server-authorization.client',
  `select v.id, v.key_id as "keyId", v.ciphertext, s.client_secret_issuer as issuer
   from servers s join sealed_values v on v.id = s.sealed_id where s.id = :serverId`,
  { serverId: text },
  { id: text, keyId: text, ciphertext: bytes, issuer: orNull(text) },
);
/** Binds the secret to an issuer, unless it is bound. Binds nothing if the values were edited since they were read. */
export const bind = query(
  'server-authorization.bind',
  `update servers set client_secret_issuer = coalesce(client_secret_issuer, :issuer)
   where id = :serverId and sealed_id = :sealedId returning client_secret_issuer as issuer`,
  { serverId: text, sealedId: text, issuer: text },
  { issuer: orNull(text) },
);
/**
 * Removes the binding after the client secret was replaced. The next use binds the new one to the issuer that the
 * server names.
 */
export const unbind = query(
  'server-authorization.unbind',
  'update servers set client_secret_issuer = null where id = :serverId and client_secret_issuer is not null',
  { serverId: text },
);
/**
 * Records whether the server demanded OAuth in the last call. Has no effect if the server was edited or got other
 * tokens since that call. Does not count as an edit.
 */
export const demand = query(
  'server-authorization.demand',
  `update servers s set oauth_demanded = :demanded
   where s.id = :id and s.revision = :revision and s.oauth_demanded <> :demanded
     and (select g.id from oauth_grants g where g.server_id = s.id) is not distinct from :grantId`,
  { id: text, revision: integer, grantId: orNull(text), demanded: flag },
);
/** Resets the demand after the URL or the authorization was changed. The next call determines it again. */
export const forgetDemand = query(
  'server-authorization.forget-demand',
  'update servers set oauth_demanded = false where id = :serverId and oauth_demanded',
  { serverId: text },
);
