import type { Operations } from '../../src/contract/index.ts';
import type { OutputOf } from '../../src/contract/operation.ts';
import type { Declared } from '../../src/contract/readiness-declared.ts';
import { type Behaviour, type Listable, startListable, token } from '../targets/listable.ts';
import { until } from './jobs.ts';
import { type SavedServer, saveServer } from './live.ts';
import { type StartOptions, startTestService, type TestService } from './service.ts';

export type Directory = 'claude' | 'openai';
export type Run = OutputOf<Operations['getReadinessRun']>;
type Report = OutputOf<Operations['getReadinessReport']>;

/** A submission that satisfies both directories. */
export const declared = {
  privacyPolicyUrl: 'https://listable.example/privacy',
  termsUrl: 'https://listable.example/terms',
  documentationUrl: 'https://listable.example/docs',
  websiteUrl: 'https://listable.example',
  supportContact: 'help@listable.example',
  name: 'Listable',
  tagline: 'Ships in the drydock',
  description: 'Shows which ships are in the drydock.',
  testAccount: true,
  screenshots: 3,
  countries: ['DE', 'NL'],
  positiveTestCases: 5,
  negativeTestCases: 3,
  starterPrompts: 3,
  releaseNotes: 'The first one.',
  toolJustifications: true,
  linkOriginsDeclared: true,
  verifiedIdentity: true,
  publisherRole: true,
  attestations: true,
  callbackUrls: ['https://claude.ai/api/mcp/auth_callback'],
  pluginManifest: true,
} satisfies Declared;

/** A service that trusts the certificate of a listable server and resolves its name. */
export async function startWithListable(
  options: StartOptions = {},
): Promise<{ service: TestService; target: Listable }> {
  const target = await startListable();
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const outbound = { resolve, authorities: target.certificate };
  return { service: await startTestService({ outbound, ...options }), target };
}

export function saveListable(service: TestService, url: string, fields: object = {}): Promise<SavedServer> {
  return saveServer(service, { url, headers: { authorization: `Bearer ${token}` }, ...fields });
}

export async function start(service: TestService, server: SavedServer, kind: Directory, body: object = {}) {
  const mode = kind === 'openai' ? { submissionMode: 'mcp-only' } : {};
  return service.post(`${server.path}/readiness-runs/${kind}`, { ...mode, ...body });
}

export async function ended(service: TestService, runId: string): Promise<Run> {
  const path = `/projects/${await service.defaultProject()}/readiness-runs/${runId}`;
  let run = (await service.get(path)).body as Run;
  await until(async () => {
    run = (await service.get(path)).body as Run;
    return run.status !== 'pending' && run.status !== 'running';
  });
  return run;
}

export interface Assessed {
  run: Run;
  report: Report;
  /** IDs of the decisive findings with this status. */
  deciding: (status: string) => string[];
  status: (id: string) => string | undefined;
}

/** A complete run against a server with this behavior. */
export async function assess(
  { service, target }: { service: TestService; target: Listable },
  kind: Directory,
  {
    url = target.url,
    behaviour = {},
    ...body
  }: { url?: string; behaviour?: Partial<Behaviour>; [field: string]: unknown } = {},
): Promise<Assessed> {
  target.behaviour = { ...target.good, ...behaviour };
  const server = await saveListable(service, url);
  const { status, text, body: receipt } = await start(service, server, kind, body);
  if (status !== 202) throw new Error(`The run was not started: ${status} ${text}`);
  const run = await ended(service, receipt.runId as string);
  if (run.status !== 'completed') throw new Error(`The run is ${run.status}: ${run.errorMessage}`);
  const report = (await service.get((run.reportUrl as string).replace('/api/v1', ''))).body as Report;
  const decides = new Set(['required', 'runtime-blocker']);
  return {
    run,
    report,
    deciding: (wanted) =>
      report.findings
        .filter((finding) => decides.has(finding.class) && finding.status === wanted)
        .map(({ id }) => id),
    status: (id) => report.findings.find((finding) => finding.id === id)?.status,
  };
}
