import { bigint, flag, json, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

export interface CardTransport {
  url: string;
  useOAuth?: boolean;
  oauthScopes?: string[];
  clientId?: string;
}

const cards = table(
  'registry_cards',
  {
    id: text,
    organizationId: text,
    name: text,
    displayName: orNull(text),
    description: orNull(text),
    category: orNull(text),
    tags: json<string[]>(),
    publisher: orNull(text),
    status: text,
    transport: json<CardTransport>(),
    updatedAt: time,
  },
  { nameKey: text },
);
export type CardRow = RowOf<typeof cards.columns>;
const which = cards.pick(['organizationId', 'id']);

export const list = query(
  'registry-cards.list',
  `select ${cards.all()} from registry_cards where organization_id = :organizationId and id > :after
   order by id limit :most`,
  { organizationId: text, after: text, most: bigint },
  cards.columns,
  { index: 'registry_cards_organization' },
);
export const find = query(
  'registry-cards.find',
  `select ${cards.all()} from registry_cards where organization_id = :organizationId and id = :id`,
  which,
  cards.columns,
);
export const lock = query(
  'registry-cards.lock',
  `select ${cards.all()} from registry_cards where organization_id = :organizationId and id = :id for update`,
  which,
  cards.columns,
);
/** Serializes adding cards to an organization, so that their count stays valid. */
export const lockAdditions = query(
  'registry-cards.lock-additions',
  `select from pg_advisory_xact_lock(hashtextextended('registry-cards ' || :organizationId, 4700))`,
  { organizationId: text },
);
/** Whether the organization has reached its limit of cards. */
export const full = query(
  'registry-cards.full',
  'select count(*) >= :most as full from registry_cards where organization_id = :organizationId',
  { organizationId: text, most: bigint },
  { full: flag },
);
const edited = [
  'name',
  'nameKey',
  'displayName',
  'description',
  'category',
  'tags',
  'publisher',
  'status',
  'transport',
] as const;
export const insert = query(
  'registry-cards.insert',
  `${cards.insert(['id', 'organizationId', ...edited])} returning ${cards.all()}`,
  cards.pick(['id', 'organizationId', ...edited]),
  cards.columns,
);
/** Sets a later time on every edit, however fast edits follow each other, so that the time identifies the version. */
export const update = query(
  'registry-cards.update',
  `update registry_cards set ${cards.set(edited)},
     updated_at = greatest(now(), updated_at + interval '1 millisecond')
   where organization_id = :organizationId and id = :id returning ${cards.all()}`,
  cards.pick(['id', 'organizationId', ...edited]),
  cards.columns,
);
export const remove = query(
  'registry-cards.delete',
  'delete from registry_cards where organization_id = :organizationId and id = :id returning id',
  which,
  { id: text },
);
