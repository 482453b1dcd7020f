import { beforeEach, describe, expect, test } from 'vitest';
import { executing } from './support/evals.ts';
import { newSession } from './support/people.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { ok, Studies, tokenIn, Visitor } from './support/studies.ts';

let provider: ScriptedProvider;
let service: TestService;
let studies: Studies;
let server: string;

executing(async (parts) => {
  ({ provider, service } = parts);
  studies = await Studies.of(service);
  server = await studies.evals.server();
});
beforeEach(() => {
  provider.script = () => ({ text: 'Three ships are in the drydock.' });
});

const lists = callThenAnswer({ name: 'list_ships', input: {} }, 'Albatross, Bittern and Cormorant.');
const ended = { status: 401, body: { code: 'UNAUTHORIZED', details: { reason: 'ACCESS_ENDED' } } };

/** A study of its own, so that tests do not meet. */
async function fresh(body: object = { mode: 'anyone_with_link' }, config: object = {}) {
  const environmentId = await studies.environment([server], config);
  return { environmentId, ...(await studies.publish(environmentId, body)) };
}

async function guestOf(link: string): Promise<Visitor> {
  const guest = new Visitor(service);
  ok(await guest.enter(link));
  return guest;
}

describe('publishing', () => {
  test('gives a link, keeps what is there, and comes back as the same study', async () => {
    const environmentId = await studies.environment([server]);
    const path = `/environments/${environmentId}/study`;
    const first = ok(await studies.put(path, { name: 'Harbour desk', mode: 'invited_only' }));
    expect(first).toMatchObject({ environmentId, name: 'Harbour desk', mode: 'invited_only', created: true });
    expect(first.link).toMatch(/\/visit#[\w-]{43}$/);
    const again = ok(await studies.put(path));
    expect(again).toEqual({ ...first, created: false });
    expect(ok(await studies.put(path, { name: 'Other' }))).toEqual({
      ...first,
      created: false,
      overridesIgnored: true,
    });
    const gone = ok(await service.delete(`${studies.project}${path}`));
    expect(gone).toEqual({ environmentId, deleted: true, id: first.id });
    expect(ok(await service.delete(`${studies.project}${path}`))).toEqual({ environmentId, deleted: false });
    const listed = async (query = '') =>
      ok(await service.get(`${studies.project}/studies${query}`)).items.map(({ id }: { id: string }) => id);
    expect(await listed()).not.toContain(first.id);
    expect(await listed('?includeUnpublished=true')).toContain(first.id);
    const back = ok(await studies.put(path, { mode: 'anyone_with_link' }));
    expect(back).toMatchObject({
      id: first.id,
      name: 'Harbour desk',
      mode: 'anyone_with_link',
      created: true,
    });
    expect(back.accessVersion).toBe(first.accessVersion + 1);
    expect(back.link).not.toBe(first.link);
    expect((await new Visitor(service).enter(first.link)).status).toBe(404);
  });

  test('is read with the settings of its environment', async () => {
    const { id, environmentId, link } = await fresh(undefined, {
      requireToolApproval: true,
      systemPrompt: 'Be brief.',
    });
    const detail = await studies.read(id);
    expect(detail).toMatchObject({
      id,
      environmentId,
      published: true,
      requireToolApproval: true,
      systemPrompt: 'Be brief.',
      serverCount: 1,
      servers: [{ id: server, useOAuth: false }],
      link: { url: link, path: `/visit#${tokenIn(link)}` },
      guestExecution: { enabled: true },
    });
    const old = await service.get(`${studies.project}/scenarios/${id}`);
    expect(old.headers.get('deprecation')).toBe('true');
    expect(old.headers.get('link')).toBe(
      `</api/v1${studies.project}/studies/${id}>; rel="successor-version"`,
    );
    expect(Object.keys(old.body)).not.toContain('environmentId');
  });
});

describe('a guest', () => {
  test('chats with the servers of the environment, and says how it went', async () => {
    provider.script = lists;
    const { id, link } = await fresh();
    const opened = await new Visitor(service).request('POST', '/study/open', { link: tokenIn(link) });
    expect(opened.body).toMatchObject({ entry: 'open', signedInAs: null });
    const guest = await guestOf(link);
    const { events, last } = await guest.say('Which ships are there?');
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['turn.started', 'tool.started', 'tool.ended', 'text', 'turn.ended']),
    );
    expect(last).toMatchObject({
      type: 'turn.ended',
      reply: 'Albatross, Bittern and Cormorant.',
      calls: [{ toolName: 'list_ships', status: 'ok', widget: false }],
    });
    const sessionId = last.sessionId as string;
    const mine = ok(await guest.request('GET', `/visit/sessions/${sessionId}`));
    expect(mine.messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'assistant',
    ]);
    ok(
      await guest.request('PUT', `/visit/sessions/${sessionId}/feedback`, {
        rating: -1,
        comment: 'Too slow',
      }),
    );
    const [row] = (await studies.read(id, '/sessions')).items;
    expect(row).toMatchObject({
      id: sessionId,
      messageCount: 4,
      toolCallCount: 1,
      preview: 'Which ships are there?',
      visitor: { segment: 'guest', authType: 'guest', recency: 'new' },
      feedback: { rating: -1, comment: 'Too slow', count: 1 },
    });
    const transcript = await studies.read(id, `/sessions/${sessionId}`);
    expect(transcript).toMatchObject({ studyId: id, messageCount: 4 });
    expect(JSON.stringify(transcript.messages)).not.toContain('dry');
    expect(transcript.messages).toContainEqual({ role: 'tool', text: '', toolName: 'list_ships' });
  });

  test('is asked before a tool is called, where the client says so', async () => {
    provider.script = lists;
    const { link } = await fresh(undefined, { requireToolApproval: true });
    const guest = await guestOf(link);
    const decide =
      (approved: boolean) => async (event: { type: string; turnId: string; toolCallId: string }) => {
        if (event.type !== 'tool.asks') return;
        const { turnId, toolCallId } = event;
        ok(await guest.request('POST', `/visit/turns/${turnId}/decisions`, { toolCallId, approved }));
      };
    const yes = await guest.say('Which ships?', undefined, decide(true));
    expect(yes.last.calls).toMatchObject([{ status: 'ok' }]);
    const no = await guest.say('And now?', undefined, decide(false));
    expect(no.last.calls).toMatchObject([{ status: 'refused' }]);
    const read = ok(await guest.request('GET', `/visit/sessions/${no.last.sessionId}`));
    expect(read.messages[1].calls).toMatchObject([{ status: 'refused' }]);
    expect(no.events.map(({ type }) => type)).not.toContain('tool.started');
  });
});

describe('who is in', () => {
  test('stays with a new link, and is out when the mode narrows', async () => {
    const { id, link, accessVersion } = await fresh();
    const guest = await guestOf(link);
    const rotated = ok(await service.post(`${studies.project}/studies/${id}/rotate-link`));
    expect(rotated).toMatchObject({ id, rotated: true });
    expect((await new Visitor(service).enter(link)).status).toBe(404);
    expect((await guest.request('GET', '/visit')).status).toBe(200);
    ok(await service.patch(`${studies.project}/studies/${id}`, { mode: 'invited_only' }));
    expect(await guest.request('GET', '/visit')).toMatchObject(ended);
    expect((await guest.enter(rotated.link, { before: guest.token })).body).toMatchObject({
      details: { reason: 'INVITATION_NEEDED' },
    });
    expect((await studies.read(id)).accessVersion).toBe(accessVersion + 1);
    ok(await service.patch(`${studies.project}/studies/${id}`, { mode: 'anyone_with_link' }));
    expect((await studies.read(id)).accessVersion).toBe(accessVersion + 1);
  });

  test('is invited by a ticket, and out at once when removed', async () => {
    const { id } = await fresh({ mode: 'invited_only' });
    const invite = (email: string) => studies.put(`/studies/${id}/members`, { email });
    const { entryUrl, memberId } = ok(await invite('Ada@example.com'));
    const { entryUrl: other } = ok(await invite('bob@example.com'));
    const ada = new Visitor(service);
    const bob = new Visitor(service);
    ok(await ada.enter(entryUrl));
    ok(await bob.enter(other));
    expect((await new Visitor(service).enter(entryUrl)).status).toBe(404);
    const removed = await service.delete(`${studies.project}/studies/${id}/members/ADA@example.com`);
    expect(ok(removed)).toEqual({ studyId: id, projectId: studies.projectId, removed: 'ADA@example.com' });
    expect(await ada.request('GET', '/visit')).toMatchObject(ended);
    expect(await bob.request('GET', '/visit')).toMatchObject(ended);
    const nowhere = 'http://x/visit#gone';
    expect((await bob.enter(nowhere, { before: bob.token })).status).toBe(201);
    expect((await ada.enter(nowhere, { before: ada.token })).status).toBe(404);
    expect(memberId).toMatch(/^smem_/);
  });

  test('may be a member of the project who is signed in', async () => {
    const { link } = await fresh({ mode: 'project_members' });
    const { userId } = await service.member('member');
    const stranger = await service.stranger();
    const inside = new Visitor(service, await newSession(service, userId));
    const outside = new Visitor(service, await newSession(service, stranger.userId));
    expect((await inside.enter(link)).body).toMatchObject({ visitor: { kind: 'member' } });
    expect((await outside.enter(link)).body).toMatchObject({ details: { reason: 'SIGN_IN_FIRST' } });
  });
});
