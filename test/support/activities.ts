import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect } from 'vitest';
import { connectAgent } from './agents.ts';
import { scriptedModel } from './evals.ts';
import type { Harbour, Invited } from './harbour.ts';
import { newSession } from './people.ts';
import { programs } from './programs.ts';
import { Receiver } from './receiver.ts';
import type { TestService } from './service.ts';
import { ok, Visitor } from './studies.ts';
import { hold, openTunnel } from './tunnels.ts';

/** An activity that runs on behalf of a user. */
export interface Live {
  /** Resolves when it has ended, with the reason. */
  over: Promise<unknown>;
  /** Checks the refusals or the effects afterwards. */
  afterwards?: (fate: Fate) => Promise<void>;
}

/** How the access ends: removed from the organization or the project, or the key was revoked. */
export type Fate = 'removed' | 'revoked';

interface Activity extends Record<Fate, 'ends' | 'goes on'> {
  /** Begins it on behalf of a user. Resolves when it is running on the other replica. */
  begin: (harbour: Harbour, who: Invited) => Promise<Live>;
  /** The expected reason of its end. */
  end?: unknown;
}

const never = new Promise<never>(() => {});
const stopped = { details: { reason: 'ACCESS_ENDED' } };
const refused = { body: stopped };
const bearer = ({ key }: Invited) => ({ authorization: `Bearer ${key}` });
/** Opened with the key, and ends with it. */
const ofKey = { removed: 'ends', revoked: 'ends' } as const;
/** Belongs to the account, whichever credential opened it. */
const ofPerson = { removed: 'ends', revoked: 'goes on' } as const;
const ofProject = { removed: 'goes on', revoked: 'goes on' } as const;

const chat = (harbour: Harbour, { userId }: Invited, serverId?: string) => ({
  idempotencyKey: `chat ${userId}`,
  projectId: harbour.projectId,
  modelId: scriptedModel,
  ...(serverId !== undefined && { serverIds: [serverId] }),
  message: `chat ${userId}`,
});

/** An upload that sends its first bytes and never ends. */
async function halfSent(
  { database }: TestService,
  url: string,
  headers: Record<string, string>,
): Promise<Live> {
  const client = await database.connect();
  const begun = async (): Promise<number> =>
    (await client.query('select count(*)::int as count from blob_garbage')).rows[0].count;
  const before = await begun();
  const sent = request(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/html' },
    agent: false,
  });
  sent.on('error', () => {});
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write('half of a page');
  await expect.poll(begun).toBe(before + 1);
  await client.end();
  const over = answered.then(async ([response]) => {
    const text = Buffer.concat(await response.toArray()).toString();
    sent.destroy();
    return { body: JSON.parse(text) as unknown };
  });
  return { over, afterwards: async () => void sent.destroy() };
}

/** Every kind of activity on behalf of a user. */
export const activities: Record<string, Activity> = {
  'a tunnel': {
    ...ofKey,
    end: 4002,
    begin: async (harbour, who) => {
      const { away, projectId } = harbour;
      const grant = await openTunnel(away, projectId, `tunnel ${who.userId}`, who.key);
      const holder = hold(grant, await away.demoUrl());
      await holder.greeted();
      expect((await fetch(grant.url, { method: 'DELETE' })).status).toBe(405);
      return {
        over: holder.ended,
        afterwards: async () => {
          expect(await hold(grant, await away.demoUrl()).ended).toBe(4000);
          expect((await fetch(grant.url, { method: 'DELETE' })).status).toBe(404);
        },
      };
    },
  },
  'a call of a tool': {
    ...ofKey,
    end: refused,
    begin: async ({ away, evals, odd, project }, { key }) => {
      const server = await evals.server({ url: odd.url('/odd') });
      const calls = () => odd.seen.filter(({ params }) => params?.name === 'slow').length;
      const before = calls();
      const body = { toolName: 'slow', parameters: {} };
      const over = away.post(`${project}/servers/${server}/tools/call`, body, { key });
      await expect.poll(calls).toBe(before + 1);
      return { over };
    },
  },
  'an upload': {
    ...ofKey,
    end: refused,
    begin: async ({ away, project }, { key }) =>
      halfSent(away, `${away.running.baseUrl}${project}/eval-ingest/artifacts`, {
        authorization: `Bearer ${key}`,
      }),
  },
  'an upload by a link': {
    ...ofPerson,
    end: refused,
    begin: async ({ away, project }, who) => {
      const { uploadUrl } = ok(await away.post(`${project}/eval-ingest/artifacts/upload-url`, {}, who));
      return halfSent(away, uploadUrl, {});
    },
  },
  'a chat turn': {
    ...ofKey,
    end: refused,
    begin: async (harbour, who) => {
      const over = harbour.away.post('/chat-sessions/messages', chat(harbour, who), who);
      await harbour.happened.until(`chat ${who.userId}`);
      const titles = async () => (await harbour.home.get('/chat-sessions', who)).text;
      expect(await titles()).toContain(`chat ${who.userId}`);
      return { over, afterwards: async () => expect(await titles()).not.toContain(who.userId) };
    },
  },
  'a chat turn that is followed': {
    ...ofKey,
    end: expect.stringMatching(/turn\.started.*turn\.failed.*ACCESS_ENDED/s),
    begin: async (harbour, who) => {
      const body = JSON.stringify({
        ...chat(harbour, who),
        idempotencyKey: 'k',
        message: `told ${who.userId}`,
      });
      const headers = { ...bearer(who), 'content-type': 'application/json' };
      const { baseUrl } = harbour.away.running;
      const sent = fetch(`${baseUrl}/chat-sessions/messages/events`, { method: 'POST', headers, body });
      await harbour.happened.until(`told ${who.userId}`);
      return { over: (await sent).text() };
    },
  },
  'a turn of the agent': {
    ...ofKey,
    end: refused,
    begin: async ({ away, project, happened }, who) => {
      const messages = [{ role: 'user', content: `agent ${who.userId}` }];
      const over = away.post(`${project}/agent`, { messages }, who);
      await happened.until(`agent ${who.userId}`);
      return { over };
    },
  },
  'a call over MCP': {
    ...ofKey,
    end: { isError: true, text: expect.stringContaining('Stopped') },
    begin: async ({ away, evals, odd, projectId }, { key }) => {
      const server = await evals.server({ url: odd.url('/odd') });
      const agent = await connectAgent(away, { key });
      const calls = () => odd.seen.filter(({ params }) => params?.name === 'slow').length;
      const before = calls();
      const over = agent.call('call_server_tool', { project: projectId, server, tool: 'slow' });
      await expect.poll(calls).toBe(before + 1);
      return { over };
    },
  },
  'events of an eval run': {
    ...ofKey,
    begin: async (harbour, who) => {
      const runId = await harbour.launchEval(`events ${who.userId}`, harbour.home.key);
      const { begun, over } = harbour.follow(`${harbour.project}/eval-runs/${runId}/events`, bearer(who));
      await begun;
      return { over };
    },
  },
  'events of a journey run': {
    ...ofKey,
    begin: async (harbour, who) => {
      const runId = await harbour.launchJourney(`events ${who.userId}`, harbour.home.key);
      const { begun, over } = harbour.follow(`${harbour.project}/journey-runs/${runId}/events`, bearer(who));
      await begun;
      return { over };
    },
  },
  'events of a connection request': {
    ...ofKey,
    begin: async (harbour, who) => {
      const body = { url: harbour.deafUrl('watched', who), projectId: harbour.projectId };
      const { connectionRequestId: id } = ok(await harbour.away.post('/server-connections', body, who));
      const { begun, over } = harbour.follow(`/server-connections/${id}/events`, bearer(who));
      await begun;
      return { over };
    },
  },
  'events in the console': {
    ...ofPerson,
    begin: async (harbour, who) => {
      const runId = await harbour.launchEval(`page ${who.userId}`, harbour.home.key);
      const cookie = `drydock_session=${await newSession(harbour.home, who.userId)}`;
      const headers = { cookie, 'x-drydock-console': '1' };
      const { begun, over } = harbour.follow(`${harbour.project}/eval-runs/${runId}/events`, headers);
      await begun;
      return { over };
    },
  },
  'a visit to a study': {
    ...ofPerson,
    end: { last: { type: 'turn.failed', ...stopped } },
    begin: async ({ away, home, studies, evals, happened }, { userId }) => {
      const environmentId = await studies.environment([await evals.server()]);
      const { link } = await studies.publish(environmentId, { mode: 'project_members' });
      const visitor = new Visitor(away, await newSession(home, userId));
      ok(await visitor.enter(link));
      const over = visitor.say(`visit ${userId}`);
      await happened.until(`visit ${userId}`);
      return { over };
    },
  },
  'an eval run': {
    ...ofPerson,
    end: { status: 'cancelled', stopReason: 'access_ended' },
    begin: async (harbour, { userId, key }) => ({
      over: harbour.evals.decided(await harbour.launchEval(userId, key)),
    }),
  },
  'a journey run': {
    ...ofPerson,
    end: { status: 'failed', canceled: true },
    begin: async (harbour, { userId, key }) => ({
      over: harbour.journeys.over(await harbour.launchJourney(userId, key)),
    }),
  },
  'a connection request': {
    ...ofPerson,
    end: { status: 'cancelled' },
    begin: async (harbour, who) => {
      const body = { url: harbour.deafUrl('connect', who), projectId: harbour.projectId };
      const { connectionRequestId: id } = ok(await harbour.away.post('/server-connections', body, who));
      await harbour.happened.until(`asked /connect/${who.userId}`);
      const row = 'select status from server_connections where id = $1';
      const left = harbour.happened.until(`left /connect/${who.userId}`);
      return { over: left.then(() => harbour.said(row, id, { status: 'cancelled' })) };
    },
  },
  'a check of a server': {
    ...ofPerson,
    end: { paused_reason: expect.stringContaining('Stopped') },
    begin: async (harbour, who) => {
      const server = await harbour.evals.server({ url: harbour.deafUrl('check', who) });
      const path = `${harbour.project}/servers/${server}/checks`;
      ok(await harbour.away.request('PUT', path, { body: { everyMinutes: 10 }, key: who.key }));
      await harbour.hurry(
        'fire-server-checks',
        'update server_checks set due_at = now() where server_id = $1',
        server,
      );
      await harbour.happened.until(`asked /check/${who.userId}`);
      const row = 'select paused_reason from server_checks where server_id = $1';
      const left = harbour.happened.until(`left /check/${who.userId}`);
      const paused = { paused_reason: expect.stringContaining('Stopped') };
      return { over: left.then(() => harbour.said(row, server, paused)) };
    },
  },
  'a conformance run': {
    ...ofPerson,
    end: { status: 'failed', reason: 'not_allowed' },
    begin: async (harbour, who) => {
      const server = await harbour.evals.server({ url: harbour.deafUrl('conform', who) });
      const path = `${harbour.project}/servers/${server}/conformance-runs`;
      const { runId } = ok(await harbour.away.post(path, { suites: ['tasks'] }, who));
      await harbour.happened.until(`asked /conform/${who.userId}`);
      const row = 'select status, reason from conformance_runs where id = $1';
      const left = harbour.happened.until(`left /conform/${who.userId}`);
      return { over: left.then(() => harbour.said(row, runId, { status: 'failed' })) };
    },
  },
  'a readiness run': {
    ...ofPerson,
    end: { status: 'failed', terminal_reason: expect.stringMatching(/forbidden|unauthorized/) },
    begin: async (harbour, who) => {
      const server = await harbour.evals.server({ url: harbour.deafUrl('ready', who) });
      const path = `${harbour.project}/servers/${server}/readiness-runs/claude`;
      const { runId } = ok(await harbour.away.post(path, {}, who));
      await harbour.happened.until(`asked /ready/${who.userId}`);
      const row = 'select status, terminal_reason from readiness_runs where id = $1';
      const left = harbour.happened.until(`left /ready/${who.userId}`);
      return { over: left.then(() => harbour.said(row, runId, { status: 'failed' })) };
    },
  },
  ...(programs.chromium.there && {
    'a browser': {
      ...ofPerson,
      end: { state: 'closed', closed_reason: 'its owner lost access' },
      begin: async (harbour: Harbour, who: Invited): Promise<Live> => {
        const body = { projectId: harbour.projectId, policy: { mode: 'allow_all' } };
        const { sessionId } = ok(await harbour.away.post('/browser-sessions/session', body, who));
        const row = 'select state, closed_reason from browser_sessions where id = $1';
        return { over: harbour.said(row, sessionId, { state: 'closed' }) };
      },
    },
  }),
  'a schedule': {
    ...ofProject,
    begin: async (harbour, who) => {
      const { away, happened, project } = harbour;
      const suiteId = await harbour.suite(`schedule ${who.userId}`);
      const body = { enabled: true, intervalMinutes: 5 };
      ok(await away.patch(`${project}/eval-suites/${suiteId}/schedule`, body, who));
      return {
        over: never,
        // A schedule checks its user's access each time it is due.
        afterwards: async (fate) => {
          const due = 'update eval_suites set schedule_due_at = now() where id = $1';
          await harbour.hurry('fire-eval-schedules', due, suiteId);
          const row = 'select schedule_state from eval_suites where id = $1';
          if (fate === 'removed') await harbour.said(row, suiteId, { schedule_state: 'paused_auth' });
          else await happened.until(`eval schedule ${who.userId}`);
        },
      };
    },
  },
  'a webhook': {
    ...ofProject,
    begin: async (harbour, who) => {
      const { home, away, project } = harbour;
      const receiver = await Receiver.start();
      const body = { name: who.userId, url: receiver.url, events: ['eval_run.decided'] };
      ok(await away.post(`${project}/webhooks`, body, who));
      const runId = await harbour.launchEval(`webhook ${who.userId}`, home.key);
      return {
        over: never,
        afterwards: async () => {
          ok(await home.post(`${project}/eval-runs/${runId}/cancel`));
          await receiver.until(({ taken }) => taken.some(({ body: told }) => told.data.runId === runId));
        },
      };
    },
  },
};
