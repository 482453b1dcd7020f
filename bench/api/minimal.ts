import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { fastify } from 'fastify';
import pg from 'pg';

/**
 * A minimal hand-written baseline for these two requests: Fastify, the same three queries with `pg`, and nothing
 * else. With `bare` as argument: node:http sending the bytes of the two answers, without any work.
 */
const { BENCH_SOCKET, BENCH_ME = '', BENCH_LIST = '' } = process.env;

if (process.argv[2] === 'bare') {
  const json = { 'content-type': 'application/json; charset=utf-8' };
  const server = createServer((request, response) => {
    const body = request.url === '/me' ? BENCH_ME : BENCH_LIST;
    response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(body) }).end(body);
  });
  server.listen(0, '127.0.0.1', () => console.log(`ready ${(server.address() as { port: number }).port}`));
} else {
  const pool = new pg.Pool({ host: BENCH_SOCKET, user: 'drydock', database: 'drydock', max: 10 });
  const keySql = `select k.id, k.revoked_at, u.id as user_id, u.email, u.name, u.image_url, u.created_at, u.updated_at,
      o.id as organization_id, o.name as organization_name, o.plan, m.role
    from api_keys k left join users u on u.id = k.user_id left join organizations o on o.id = k.organization_id
    left join organization_members m on m.organization_id = o.id and m.user_id = u.id where k.hash = $1`;
  const projectSql = `select p.id, p.name, case when $3 <> 'member' then 'admin' else coalesce(m.role, 'member') end as role
    from projects p left join project_members m on m.project_id = p.id and m.user_id = $2
    where p.organization_id = $1 and ($3 <> 'member' or p.visibility = 'public' or m.role is not null) and p.id = $4`;
  const listSql = `select id, project_id, name, enabled, transport_type, url, settings, sealed_id, created_at, updated_at
    from servers where project_id = $1 and id > $2 order by id limit $3`;
  const actor = async (authorization: string) => {
    const hash = createHash('sha256').update(authorization.slice(7)).digest();
    return (await pool.query({ name: 'key', text: keySql, values: [hash] })).rows[0];
  };
  const app = fastify();
  app.get('/me', async (request, reply) => {
    const { user_id, email, name, image_url, plan, created_at, updated_at } = await actor(
      request.headers.authorization ?? '',
    );
    const times = { createdAt: created_at.getTime(), updatedAt: updated_at.getTime() };
    const body = {
      id: user_id,
      email,
      name,
      imageUrl: image_url,
      profilePictureUrl: image_url,
      plan,
      ...times,
    };
    return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
  });
  app.get<{ Params: { id: string }; Querystring: { limit: string } }>(
    '/projects/:id/servers',
    async (request, reply) => {
      const { organization_id, user_id, role } = await actor(request.headers.authorization ?? '');
      const values = [organization_id, user_id, role, request.params.id];
      const project = (await pool.query({ name: 'project', text: projectSql, values })).rows[0];
      const limit = Number(request.query.limit);
      const { rows } = await pool.query({ name: 'list', text: listSql, values: [project.id, '', limit + 1] });
      const items = rows.slice(0, limit).map((row) => ({
        id: row.id,
        projectId: row.project_id,
        name: row.name,
        enabled: row.enabled,
        transportType: row.transport_type,
        url: row.url,
        useOAuth: row.settings.useOAuth ?? false,
        hasClientSecret: row.settings.hasClientSecret,
        oauthScopes: row.settings.oauthScopes ?? [],
        headerNames: row.settings.headerNames,
        envNames: row.settings.envNames,
        createdAt: row.created_at.getTime(),
        updatedAt: row.updated_at.getTime(),
      }));
      const nextCursor = rows.length > limit ? items.at(-1)?.id : undefined;
      return reply
        .header('content-type', 'application/json; charset=utf-8')
        .send(JSON.stringify({ items, nextCursor }));
    },
  );
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  console.log(`ready ${new URL(address).port}`);
}
