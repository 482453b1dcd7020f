export const serverChanges = {
  name: '0008-server-changes',
  sql: `
-- Connections to a server that was edited or deleted, however that happened, are closed by every process that has some.
create function announce_server_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('drydock_servers', old.id);
  return null;
end $$;
create trigger server_changed after update of revision on servers for each row execute function announce_server_change();
create trigger server_deleted after delete on servers for each row execute function announce_server_change();
`,
};
