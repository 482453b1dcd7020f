import type { Console } from '../console.ts';
import { tokenIn } from '../studies.ts';
import type { PageOfConsole } from './index.ts';

export async function studyPages(console: Console): Promise<PageOfConsole[]> {
  const { projectId } = console;
  const { studyId, sessionId } = await visitedStudy(console);
  const at = `/console/projects/${projectId}/studies`;
  const study = `${at}/${studyId}`;
  return [
    ['studies', at, 'table'],
    ['study-publish', `${at}?publish=true`, 'text=run without approval'],
    ['study', study, 'text=Save guest settings'],
    ['study-members', `${study}?tab=members`, 'table'],
    ['study-sessions', `${study}?tab=sessions`, 'table'],
    ['study-session', `${study}/sessions/${sessionId}`, '[aria-label=Transcript] li'],
    ['study-findings', `${study}?tab=findings`, 'main :is(h2, [role=alert])'],
  ];
}

/** A study that somebody is invited to and somebody has chatted with, made once. */
async function visitedStudy({ api, projectId, serverId, baseUrl }: Console) {
  const known = (await api.listStudies({ projectId })).items[0];
  const studyId = known?.id ?? (await publish());
  const [session] = (await api.listStudySessions({ projectId, studyId })).items;
  return { studyId, sessionId: session?.id as string };

  async function publish(): Promise<string> {
    const config = { modelId: 'drydock/rehearsal', serverIds: [serverId] };
    const { id: hostId } = await api.createClient({ projectId, body: { name: 'Desk client', config } });
    const environment = await api.createEnvironment({ projectId, body: { name: 'Desk', hostId } });
    const body = { name: 'Harbour desk', description: 'Try it.', mode: 'anyone_with_link' as const };
    const study = await api.publishStudy({ projectId, environmentId: environment.id, body });
    await api.upsertStudyMember({ projectId, studyId: study.id, body: { email: 'ada@example.com' } });
    const entered = await post('/study/enter', { link: tokenIn(study.link as string) });
    const { token } = (await entered.json()) as { token: string };
    const said = { idempotencyKey: 'a visit', message: 'Which ships are in the drydock?' };
    await (await post('/visit/messages', said, { authorization: `Bearer ${token}` })).text();
    return study.id;
  }

  function post(path: string, body: object, headers = {}): Promise<Response> {
    return fetch(`${baseUrl}/visit/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-drydock-console': '1', ...headers },
      body: JSON.stringify(body),
    });
  }
}
