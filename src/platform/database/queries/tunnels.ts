import {
  bigint,
  bytes,
  flag,
  float,
  integer,
  listOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { query } from '../query.ts';
import { mayUse } from './access.ts';

/** Notification channel. Payload: slug of a tunnel that was closed, or whose client or token changed. */
export const changedChannel = 'drydock_tunnels';

const tunnels = table(
  'tunnels',
  {
    serverId: text,
    organizationId: text,
    projectId: text,
    slug: text,
    serverUrl: text,
    secretHash: bytes,
    secretVersion: integer,
    connectTokenHash: bytes,
    connectTokenExpiresAt: time,
    openedBy: text,
    openedWith: orNull(text),
    closedAt: orNull(time),
    epoch: bigint,
    holderId: orNull(text),
    holderUrl: orNull(text),
    protocol: orNull(text),
    connectedAt: orNull(time),
    disconnectedAt: orNull(time),
    createdAt: time,
    updatedAt: time,
  },
  { heldUntil: orNull(time) },
);

/** SQL condition: the user who opened the tunnel still has access. Otherwise it counts as closed. */
const attended = mayUse({ project: 't.project_id', user: 't.opened_by', key: 't.opened_with' });
const held = 't.holder_id is not null and t.held_until > now() and t.closed_at is null';
const listed = { ...tunnels.columns, name: text, held: flag, attended: flag };
export type ListedTunnel = RowOf<typeof listed>;
export const list = query(
  'tunnels.list',
  `select ${tunnels.all('t')}, s.name, coalesce(${held}, false) as held, ${attended} as attended
   from tunnels t join servers s on s.id = t.server_id
   where t.project_id = :projectId and t.server_id > :after order by t.server_id limit :most`,
  { projectId: text, after: text, most: bigint },
  listed,
  { index: 'tunnels_project' },
);
export const countOpen = query(
  'tunnels.count-open',
  `select count(*) as count from tunnels t
   where t.organization_id = :organizationId and t.closed_at is null and ${attended}`,
  { organizationId: text },
  { count: bigint },
);
export const lock = query(
  'tunnels.lock',
  `select ${tunnels.all()} from tunnels where server_id = :serverId and project_id = :projectId for update`,
  { projectId: text, serverId: text },
  tunnels.columns,
);

const opened = tunnels.pick([
  'serverId',
  'organizationId',
  'projectId',
  'slug',
  'serverUrl',
  'secretHash',
  'connectTokenHash',
  'openedBy',
  'openedWith',
]);
/** Creates a tunnel, or gives an existing one a new address and token and disconnects its client. */
export const open = query(
  'tunnels.open',
  `insert into tunnels as t (server_id, organization_id, project_id, slug, server_url, secret_hash,
     connect_token_hash, connect_token_expires_at, opened_by, opened_with)
   values (:serverId, :organizationId, :projectId, :slug, :serverUrl, :secretHash, :connectTokenHash,
     now() + :tokenLasts * interval '1 millisecond', :openedBy, :openedWith)
   on conflict on constraint tunnels_pkey do update set server_url = excluded.server_url, secret_hash = excluded.secret_hash,
     secret_version = t.secret_version + 1, connect_token_hash = excluded.connect_token_hash,
     connect_token_expires_at = excluded.connect_token_expires_at, opened_by = excluded.opened_by, opened_with = excluded.opened_with,
     closed_at = null, epoch = t.epoch + 1, holder_id = null, holder_url = null, protocol = null, held_until = null,
     disconnected_at = case when t.holder_id is null then t.disconnected_at else now() end, updated_at = now()
   returning ${tunnels.all('t')}`,
  { ...opened, tokenLasts: float },
  tunnels.columns,
);
/** Invalidates the address and the token of a tunnel. */
export const close = query(
  'tunnels.close',
  `update tunnels set closed_at = coalesce(closed_at, now()), epoch = epoch + 1, holder_id = null, holder_url = null,
     protocol = null, held_until = null,
     disconnected_at = case when holder_id is null then disconnected_at else now() end, updated_at = now()
   where server_id = :serverId and project_id = :projectId returning server_id as "serverId"`,
  { projectId: text, serverId: text },
  { serverId: text },
);

/** Assigns the tunnel to a client with a valid token. */
export const take = query(
  'tunnels.take',
  `update tunnels t set epoch = epoch + 1, holder_id = :holderId, holder_url = :holderUrl, protocol = :protocol,
     held_until = now() + :lease * interval '1 millisecond', connected_at = now()
   from projects p
   where t.connect_token_hash = :tokenHash and t.closed_at is null and t.connect_token_expires_at > now()
     and p.id = t.project_id and p.deleted_at is null and ${attended}
   returning t.slug, t.epoch, t.server_id as "serverId", t.organization_id as "organizationId",
     t.project_id as "projectId", t.opened_by as "openedBy", t.opened_with as "openedWith"`,
  { tokenHash: bytes, holderId: text, holderUrl: orNull(text), protocol: text, lease: float },
  tunnels.pick(['slug', 'epoch', 'serverId', 'organizationId', 'projectId', 'openedBy', 'openedWith']),
);
/** Renews the leases of this process on tunnels. Returns the tunnels that it still holds. */
export const renew = query(
  'tunnels.renew',
  `update tunnels t set held_until = now() + :lease * interval '1 millisecond'
   from unnest(:slugs::text[], :epochs::bigint[]) as mine (slug, epoch), projects p
   where t.slug = mine.slug and t.epoch = mine.epoch and t.holder_id = :holderId
     and p.id = t.project_id and p.deleted_at is null
   returning t.slug`,
  { holderId: text, slugs: texts, epochs: listOf(bigint), lease: float },
  { slug: text },
);
/** Releases a tunnel whose client disconnected, unless another one has connected. */
export const release = query(
  'tunnels.release',
  `update tunnels t set holder_id = null, holder_url = null, protocol = null, held_until = null, disconnected_at = now()
   from unnest(:slugs::text[], :epochs::bigint[]) as mine (slug, epoch)
   where t.slug = mine.slug and t.epoch = mine.epoch and t.holder_id = :holderId`,
  { holderId: text, slugs: texts, epochs: listOf(bigint) },
);

const route = {
  ...tunnels.pick(['serverId', 'slug', 'secretHash', 'epoch', 'holderId', 'holderUrl', 'protocol']),
  held: flag,
  closed: flag,
  left: flag,
};
export type TunnelRoute = RowOf<typeof route>;
/** The route of a request to a tunnel. `left`: its client disconnected within the last 5 seconds. */
export const find = query(
  'tunnels.find',
  `select t.server_id as "serverId", t.slug, t.secret_hash as "secretHash", t.epoch, t.holder_id as "holderId",
     t.holder_url as "holderUrl", t.protocol, coalesce(${held}, false) as held, t.closed_at is not null or not ${attended} as closed,
     t.holder_id is null and coalesce(t.disconnected_at > now() - interval '5 seconds', false) as left
   from tunnels t join projects p on p.id = t.project_id and p.deleted_at is null where t.slug = :slug`,
  { slug: text },
  route,
);
