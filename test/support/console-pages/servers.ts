import { setTimeout as sleep } from 'node:timers/promises';
import type { Console } from '../console.ts';
import type { PageOfConsole } from './index.ts';

export async function serverPages(console: Console): Promise<PageOfConsole[]> {
  const { projectId, serverId } = console;
  const entry = await listedEntry(console.api);
  const { runId, checked } = await checks(console);
  const at = `/console/projects/${projectId}`;
  return [
    ['servers', `${at}/servers`, 'text=/^(answers|too slow|unreachable)$/'],
    ['server', `${at}/servers/${serverId}`, 'text=/^(ready|partially working|not working)$/'],
    ['server-tools', `${at}/servers/${serverId}?tab=tools&item=inspect_hull`, 'text=Call tool'],
    ['server-prompts', `${at}/servers/${serverId}?tab=prompts`, 'text=Render prompt'],
    ['server-resources', `${at}/servers/${serverId}?tab=resources`, 'pre'],
    ['servers-add', `${at}/servers?add=paste`, 'text=Pasted JSON'],
    ['server-settings', `${at}/servers/${serverId}?tab=settings`, 'text=Delete server'],
    ['server-contract', `${at}/servers/${serverId}?tab=contract`, 'text=No baseline'],
    ['registry', `${at}/registry?entry=${entry}`, 'table td code'],
    ['registry-install', `${at}/registry?install=${entry}`, 'text=The service runs this command'],
    ['server-conformance', `${at}/servers/${serverId}?tab=conformance`, 'text=It answered 500'],
    ['conformance-runs', `${at}/conformance`, 'table'],
    ['conformance-run', `${at}/conformance/${runId}`, 'text=It answered 500'],
    ['server-readiness', `${checked}?tab=readiness`, 'text=Runtime compatibility'],
    ['server-readiness-start', `${checked}?tab=readiness&start=true`, 'text=Start check'],
    ['server-conformance-start', `${checked}?tab=conformance&start=true`, 'text=Start run'],
  ];
}

/** A conformance run with a check that failed, and in a project of its own a server that nobody answers for. */
async function checks({ api, projectId, serverId }: Console) {
  const cases = [
    { id: 'ping', title: 'Answers a ping', status: 'passed' as const },
    { id: 'close', title: 'Ends a session', status: 'failed' as const, error: 'It answered 500' },
  ];
  // Under the same ID it is the same run, however often the pages are asked for.
  const { runId } = await api.reportConformanceRun({
    projectId,
    body: {
      target: { kind: 'server', serverId, serverRef: 'demo' },
      externalRunId: 'pages of the console',
      suiteKind: 'protocol',
      report: { outcome: 'failed', groups: [{ id: 'lifecycle', cases }] },
    },
  });
  return { runId, checked: await checkedServer(api) };
}

async function checkedServer(api: Console['api']): Promise<string> {
  const name = 'Checked';
  const known = (await api.listProjects()).items.find((one) => one.name === name);
  const { id: projectId } = known ?? (await api.createProject({ body: { name } }));
  const [server] = (await api.listProjectServers({ projectId })).items;
  const body = { name: 'Quay', url: 'http://127.0.0.1:9/mcp' };
  const { id: serverId } = server ?? (await api.createProjectServer({ projectId, body }));
  if (!server) await api.startClaudeReadinessRun({ projectId, serverId, body: {} });
  return `/console/projects/${projectId}/servers/${serverId}`;
}

/** One of those that came with the service, which reads them when it has started. */
async function listedEntry(api: Console['api']): Promise<string> {
  for (;;) {
    const { items } = await api.searchRegistryDirectory({ connectableOnly: 'true', rowType: 'package' });
    if (items[0]) return items[0].id;
    await sleep(100);
  }
}
