export const accessChanges = {
  name: '0031-access-changes',
  sql: `
-- Announces the id of each user, project, key or session whose access may have shrunk, from whichever statement: whatever
-- runs for somebody listens, on every replica, and asks whether it still may.
create function announce_access() returns trigger language plpgsql as $$
begin
  perform pg_notify('drydock_access', to_jsonb(old) ->> tg_argv[0]);
  return null;
end $$;
create trigger organization_members_access after delete or update of role on organization_members
  for each row execute function announce_access('user_id');
create trigger project_members_access after delete or update of role on project_members
  for each row execute function announce_access('user_id');
create trigger projects_access after delete or update of visibility, deleted_at on projects
  for each row execute function announce_access('id');
create trigger api_keys_access after delete or update of revoked_at, organization_id on api_keys
  for each row execute function announce_access('id');
create trigger console_sessions_access after delete on console_sessions
  for each row execute function announce_access('id');

-- The key that a tunnel was opened with; it ends with the key.
alter table tunnels add column opened_with text collate "C";
`,
};
