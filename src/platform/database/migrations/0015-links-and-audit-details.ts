export const linksAndAuditDetails = {
  name: '0015-links-and-audit-details',
  sql: `
-- What an event was about besides its target: who or what, and what it was before.
alter table audit_events add column details jsonb;

-- A link that was taken back stays, so that it can say so. One more kind confirms a new address of an account.
alter table console_links add column withdrawn_at timestamptz(3);
alter table console_links drop constraint console_links_kind_check, drop constraint console_links_check;
alter table console_links
  add constraint console_links_kind check (kind in ('sign-in', 'invitation', 'reset', 'email')),
  add constraint console_links_form check (case kind
    when 'invitation' then user_id is null and email is not null and organization_id is not null and role is not null
    when 'email' then user_id is not null and email is not null and organization_id is null and role is null
    else user_id is not null and email is null and role is null end);
drop index console_links_invitation;
create unique index console_links_invitation on console_links (organization_id, lower(email))
  where kind = 'invitation' and used_at is null and withdrawn_at is null;

-- So that one of several can be named.
alter table identities add column id text collate "C" not null unique
  default 'idn_' || replace(gen_random_uuid()::text, '-', '');
`,
};
