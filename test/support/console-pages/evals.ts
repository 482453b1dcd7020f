import type { Console } from '../console.ts';
import type { PageOfConsole } from './index.ts';

export async function evalPages({ projectId, runId, api }: Console): Promise<PageOfConsole[]> {
  const { items } = await api.listEvalRunTrialStates({ projectId, runId });
  const failed = items.find(({ result }) => result === 'failed')?.id as string;
  const { suiteId } = await api.getEvalRun({ projectId, runId });
  const { runId: next } = await api.createEvalRun({ projectId, body: { suiteId, iterationOverride: 3 } });
  for await (const event of api.watchEvalRun({ projectId, runId: next }))
    if (event.type === 'run.decided') break;
  const [one] = (await api.listEvalCases({ projectId, suiteId })).items;
  const at = `/console/projects/${projectId}`;
  const suite = `${at}/suites/${suiteId}`;
  return [
    ['suites', `${at}/suites`, 'table'],
    ['suites-new', `${at}/suites?make=suite`, 'text=Create suite'],
    ['suites-import', `${at}/suites?make=file`, 'text=Sync file'],
    ['suite', suite, 'text=says “Dunlin”'],
    ['suite-history', `${suite}?tab=history`, 'figure svg'],
    ['suite-schedule', `${suite}?tab=schedule`, 'text=Turn on'],
    ['suite-waivers', `${suite}?tab=waivers`, 'text=No waivers'],
    ['suite-settings', `${suite}?tab=settings`, 'table'],
    ['suite-file', `${suite}?tab=file`, 'pre'],
    ['suite-launch', `${suite}?run=true`, 'text=30 trials of 6 cases'],
    ['case', `${suite}?case=${one?.id}`, 'text=Run once'],
    ['case-new', `${suite}?case=new`, 'text=Add turn'],
    ['runs', `${at}/runs`, 'table'],
    ['run', `${at}/runs/${runId}`, '[data-trial]'],
    ['trial', `${at}/runs/${runId}/trials/${failed}`, 'text=show input'],
    ['trial-raw', `${at}/runs/${runId}/trials/${failed}?raw=true`, 'text=MCP frames'],
    ['compare', `${at}/runs/${next}/compare?with=${runId}&all=true`, 'text=Traces side by side'],
    [
      'traces',
      `${at}/runs/${runId}/compare/traces?with=${runId}&base=${failed}&trial=${failed}`,
      'text=show input',
    ],
  ];
}
