import type { Console } from './console.ts';

/** Without a place to break, as long as any name may be. */
export const unbroken = 'Unbroken'.padEnd(100, 'W');
/** Turned around, from right to left, without width, in wide signs and in joined ones. */
export const mixed = `\u202Eمرفأ\u200B${'船渠'.repeat(20)}🏴‍☠️`;

/** Gives whatever has a name on a page a name that breaks pages. */
export async function giveHostileNames({ api, projectId, serverId, runId }: Console): Promise<void> {
  const { suiteId } = await api.getEvalRun({ projectId, runId });
  const [environment] = (await api.listEnvironments({ projectId })).items;
  const [chat] = (await api.listSessions({ projectId })).items;
  const [study] = (await api.listStudies({ projectId })).items;
  const [organization] = (await api.listOrganizations()).items;
  const organizationId = organization?.id as string;
  const [card] = (await api.listOrganizationRegistryServers({ organizationId })).items;
  const cases = (await api.listEvalCases({ projectId, suiteId })).items;
  await Promise.all([
    api.updateProject({ projectId, body: { name: unbroken } }),
    api.updateProjectServer({ projectId, serverId, body: { name: unbroken } }),
    api.updateEvalSuite({ projectId, suiteId, body: { name: unbroken, description: mixed } }),
    api.createServerGroup({ projectId, body: { name: unbroken, serverIds: [serverId] } }),
    api.createSecret({
      projectId,
      body: { name: 'L'.repeat(64), value: 'a value', delivery: 'materialized', description: mixed },
    }),
    api.sendChatMessage({
      body: {
        idempotencyKey: 'a hostile chat',
        projectId,
        modelId: 'drydock/rehearsal',
        message: `${mixed} ${unbroken}`,
      },
    }),
    ...(chat
      ? [
          api.sendChatMessage({
            body: { idempotencyKey: 'a hostile turn', sessionId: chat.id, message: `${unbroken} ${mixed}` },
          }),
        ]
      : []),
    ...(environment
      ? [
          api.updateEnvironment({
            projectId,
            environmentId: environment.id,
            body: { name: mixed, expectedRevision: environment.revision },
          }),
        ]
      : []),
    ...(card
      ? [
          api.updateOrganizationRegistryServer({
            organizationId,
            registryServerId: card.id,
            body: {
              name: unbroken,
              description: mixed,
              publisher: mixed,
              tags: [mixed.slice(0, 30)],
              transport: { url: `https://example.com/${unbroken}` },
            },
          }),
        ]
      : []),
    ...(study
      ? [
          api.updateStudy({
            projectId,
            studyId: study.id,
            body: { name: mixed, description: unbroken },
          }),
        ]
      : []),
    ...cases.map(({ id: caseId }, at) =>
      api.updateEvalCase({
        projectId,
        suiteId,
        caseId,
        body: { title: `${at % 2 ? unbroken : mixed} ${at}` },
      }),
    ),
  ]);
}

/** For the browser: what cannot be reached or reads wrongly, because something is too long. */
export const misplaced = `(() => {
  const out = [];
  if (document.documentElement.scrollWidth > innerWidth) out.push('the page scrolls sideways');
  for (const one of document.querySelectorAll('main :is(a, button, select, input), header button, [role=dialog] :is(button, input)')) {
    const { left, right, width } = one.getBoundingClientRect();
    // The grid of trials scrolls within itself, under its names.
    if (width > 0 && (right > innerWidth + 1 || left < -1) && !one.closest('[role=table]'))
      out.push(one.tagName + ' ' + (one.ariaLabel ?? one.textContent).slice(0, 40));
  }
  if (/[\\u202A-\\u202E]/.test(document.title)) out.push('the title turns around');
  return out;
})()`;
