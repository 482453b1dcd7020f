import type { Console } from '../console.ts';
import type { PageOfConsole } from './index.ts';

export async function setupPages(console: Console): Promise<PageOfConsole[]> {
  const { projectId } = console;
  const { clientId, environmentId } = await setUp(console);
  const webhookId = await aWebhook(console);
  const at = `/console/projects/${projectId}`;
  return [
    ['nowhere', `${at}/nowhere`, 'text=This page does not exist'],
    ['overview', at, 'text=/of \\d+ trials passed/'],
    ['environments', `${at}/environments`, 'table'],
    ['environment', `${at}/environments/${environmentId}`, 'text=Resolved configuration'],
    ['environment-edit', `${at}/environments/${environmentId}?edit=true`, 'text=Save changes'],
    ['clients', `${at}/clients`, 'table'],
    ['client', `${at}/clients/${clientId}`, 'pre'],
    ['client-edit', `${at}/clients/${clientId}?edit=true`, 'text=Save changes'],
    ['secrets', `${at}/secrets`, 'table'],
    ['secret-new', `${at}/secrets?add=true`, 'text=Store secret'],
    ['groups', `${at}/groups`, 'table'],
    ['skills', `${at}/skills`, 'text=No skills yet'],
    ['plugins', `${at}/plugins`, 'text=No plugins yet'],
    ['webhooks', `${at}/webhooks`, 'table'],
    ['webhook-new', `${at}/webhooks?add=true`, 'text=Create webhook'],
    ['webhook', `${at}/webhooks/${webhookId}`, 'text=No deliveries'],
    ['project', `${at}/settings`, 'text=Delete project'],
  ];
}

/** Creates content for every page, once. */
async function setUp({ api, projectId, serverId }: Console) {
  const made = (await api.listEnvironments({ projectId })).items[0];
  if (made) return { clientId: made.hostId, environmentId: made.id };
  const { id: clientId } = await api.createClient({
    projectId,
    body: { name: 'Harbour client', template: 'drydock' },
  });
  const group = await api.createServerGroup({ projectId, body: { name: 'Ships', serverIds: [serverId] } });
  const secret = await api.createSecret({
    projectId,
    body: { name: 'HARBOUR_TOKEN', value: 'a value', delivery: 'materialized' },
  });
  const { id: environmentId } = await api.createEnvironment({
    projectId,
    body: {
      name: 'Staging',
      hostId: clientId,
      serverAttachmentId: group.id,
      secretSelection: { mode: 'explicit', secretIds: [secret.id] },
    },
  });
  return { clientId, environmentId };
}

/** A disabled webhook, so that nothing is ever sent there. */
async function aWebhook({ api, projectId }: Console): Promise<string> {
  const made = (await api.listWebhooks({ projectId })).items[0];
  if (made) return made.id;
  const body = { name: 'CI', url: 'https://ci.example.com/hooks/drydock', enabled: false };
  return (await api.createWebhook({ projectId, body })).id;
}
