import { setTimeout as sleep } from 'node:timers/promises';
import type { Console } from '../console.ts';
import type { PageOfConsole } from './index.ts';

export async function serverPages({ projectId, serverId, api }: Console): Promise<PageOfConsole[]> {
  const entry = await listedEntry(api);
  const at = `/console/projects/${projectId}`;
  return [
    ['servers', `${at}/servers`, 'text=/^(answers|too slow|unreachable)$/'],
    ['server', `${at}/servers/${serverId}`, 'text=/^(ready|answers in part|does not work)$/'],
    ['server-tools', `${at}/servers/${serverId}?tab=tools&item=inspect_hull`, 'text=Call tool'],
    ['server-prompts', `${at}/servers/${serverId}?tab=prompts`, 'text=Render prompt'],
    ['server-resources', `${at}/servers/${serverId}?tab=resources`, 'pre'],
    ['servers-add', `${at}/servers?add=paste`, 'text=Pasted JSON'],
    ['server-settings', `${at}/servers/${serverId}?tab=settings`, 'text=Delete server'],
    ['server-contract', `${at}/servers/${serverId}?tab=contract`, 'text=No baseline is saved'],
    ['registry', `${at}/registry?entry=${entry}`, 'table td code'],
    ['registry-install', `${at}/registry?install=${entry}`, 'text=never through a shell'],
  ];
}

/** One of those that came with the service, which reads them when it has started. */
async function listedEntry(api: Console['api']): Promise<string> {
  for (;;) {
    const { items } = await api.searchRegistryDirectory({ connectableOnly: 'true', rowType: 'package' });
    if (items[0]) return items[0].id;
    await sleep(100);
  }
}
