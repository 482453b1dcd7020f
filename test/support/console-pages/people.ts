import type { Console } from '../console.ts';
import type { PageOfConsole } from './index.ts';

const card = {
  name: 'Harbour card',
  description: 'Which ships are in',
  transport: { url: 'https://harbour.example.com/mcp' },
};

export async function peoplePages({ baseUrl, api }: Console): Promise<PageOfConsole[]> {
  const [organization] = (await api.listOrganizations()).items;
  const organizationId = organization?.id as string;
  if ((await api.listOrganizationRegistryServers({ organizationId })).items.length === 0)
    await api.createOrganizationRegistryServer({ organizationId, body: card });
  const at = `/console/organizations/${organizationId}`;
  return [
    ['home', `${baseUrl}/console/`, '#page h1'],
    ['forgot', '/console/forgot', 'text=Back to sign-in'],
    ['enter', '/console/enter', 'text=Incomplete link'],
    ['set-up', '/console/set-up', 'text=Save and continue'],
    ['account', '/console/account', 'text=this session'],
    ['members', `${at}/members`, 'text=No open invitations'],
    ['project-access', `${at}/projects`, 'table'],
    ['keys', `${at}/keys`, 'table'],
    ['usage', `${at}/usage`, 'text=As a table'],
    ['audit', `${at}/audit`, 'table'],
    ['registry-cards', `${at}/registry`, 'table'],
    ['registry-card-new', `${at}/registry?add=true`, 'text=Uses OAuth'],
    ['settings', `${at}/settings`, 'text=Save organization'],
    ['installation', '/console/installation', 'text=DRYDOCK_PORT'],
  ];
}
