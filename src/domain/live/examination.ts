import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation } from '../../mcp/mcp.ts';
import { probe } from '../../mcp/probe.ts';
import { mapYielding } from '../../platform/flow/yielding.ts';
import type { ProjectContext, ServerContext } from '../context/context.ts';
import { lacksGrant, usableGrant } from '../servers/auth-method.ts';
import { adviceFor } from './advice.ts';
import { type Drained, drain, type ListName, lists } from './drain.ts';
import { initInfoOf } from './init-info.ts';
import { noteOAuthDemand } from './oauth-demand.ts';
import { type Check, examineProbe } from './probe-report.ts';
import { diagnosisWait, type Reached } from './reach.ts';
import { oauthRequired, refusalOf } from './refusal.ts';
import { type LiveOptions } from './target.ts';

export type Report = OutputOf<Operations['runDoctor']>;
export type CheckName = keyof Report['checks'];

/** A diagnosis in progress. `note` reports each check as it completes. */
interface Examination {
  context: ServerContext;
  reached: Reached;
  options: LiveOptions;
  report: Report;
  note: (name: CheckName, check: Check) => void;
}

interface Wait {
  timeout: number;
  signal: AbortSignal;
}

/** Milliseconds of a handshake above which the report mentions its duration. */
const slow = 3000;
/** Share of the time limit for probing; the rest is for connecting. */
const shareOfProbe = 0.8;

/** Returns a report whatever the server does. */
export async function examineServer(
  context: ServerContext,
  reached: Reached,
  options: LiveOptions,
  tell: (name: CheckName, check: Check) => void = () => {},
): Promise<Report> {
  const report = emptyReport(context, reached);
  const note: Examination['note'] = (name, check) => {
    report.checks[name] = check;
    tell(name, check);
  };
  const { timeout: allowed, signal } = diagnosisWait(context, reached.server);
  const ends = performance.now() + allowed;
  const wait = () => ({ allowed, signal, timeout: Math.max(1, ends - performance.now()) });
  const examination = { context, reached, options, report, note };
  if (await lookAtAddress(examination, wait())) await connect(examination, wait());
  report.status = statusOf(report);
  if (report.connection.status === 'connected')
    await noteOAuthDemand(context, reached.server, options, false);
  else if (wasDemanded(report)) await noteOAuthDemand(context, reached.server, options, true);
  return report;
}

/** Whether the server itself demanded OAuth, regardless of saved settings. */
function wasDemanded({ error, probe: seen, connection }: Report): boolean {
  const contacted = seen?.status === 'oauth_required' || connection.status === 'error';
  return error?.code === 'OAUTH_REQUIRED' && contacted;
}

/** Probes the URL; returns whether connecting is worthwhile. */
async function lookAtAddress(examination: Examination, wait: Wait): Promise<boolean> {
  const { context, reached, options, report, note } = examination;
  const { server, target } = reached;
  if (target.kind === 'stdio') {
    note('probe', skipped('A stdio server has no address to probe.'));
    return true;
  }
  const address = await target.address();
  if (address.kind !== 'http') return true;
  const findings = await probe(context.mcp.outbound.through(address.way), address.url, address.headers, {
    ...wait,
    timeout: wait.timeout * shareOfProbe,
  });
  const credentials = usableGrant(server) !== undefined || options.oauthAccessToken !== undefined;
  const { probe: seen, check } = examineProbe(address.url, findings, credentials);
  report.probe = seen;
  note('probe', check);
  if (seen.status === 'oauth_required' && !credentials) {
    const refusal = oauthRequired(server, { ...findings.unauthorized?.facts, grantDead: server.grantDead });
    report.connection = { status: 'skipped', detail: 'Not tried without a token.' };
    report.error = refusal.toBody();
    skipRest(examination, 'Not tried without a token.');
    return false;
  }
  if (lacksGrant(server) && options.oauthAccessToken === undefined) {
    report.error = oauthRequired(server, server.grantDead ? { grantDead: true } : {}).toBody();
    report.connection = {
      status: 'skipped',
      detail: 'The server uses OAuth and has no tokens. Import them.',
    };
    skipRest(examination, 'Not tried without a token.');
    return false;
  }
  return true;
}

async function connect(examination: Examination, wait: Wait): Promise<void> {
  const { context, reached, options, report, note } = examination;
  const { server, target } = reached;
  const started = performance.now();
  try {
    await context.mcp.once(target, wait, async (conversation) => {
      const { identity } = conversation;
      const took = performance.now() - started;
      const speed =
        took > slow
          ? ` It took ${(took / 1000).toFixed(1)} s; clients with a shorter timeout will fail.`
          : '';
      report.connection = { status: 'connected', detail: `Connected over ${identity.transport}.${speed}` };
      note('connection', ok(report.connection.detail));
      report.initInfo = initInfoOf(identity, target);
      report.capabilities = identity.capabilities;
      await examine(conversation, examination, options.firstPageOnly ?? false);
    });
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    report.connection = { status: 'error', detail: adviceFor(error) };
    note('connection', { status: 'error', detail: adviceFor(error) });
    report.error = refusalOf(error, server).toBody();
    skipRest(examination, 'Not tried without a connection.');
  }
}

async function examine(
  conversation: Conversation,
  { report, note }: Examination,
  firstPageOnly: boolean,
): Promise<void> {
  const { identity } = conversation;
  note('initialization', ok(`${nameOf(identity.serverInfo)} speaks ${identity.protocolVersion}.`));
  const offered = Object.keys(identity.capabilities).sort();
  note(
    'capabilities',
    offered.length > 0
      ? ok(`Offers ${offered.join(', ')}.`)
      : {
          status: 'error',
          detail: 'The server declares no capabilities, so clients will not use any of its features.',
        },
  );
  const look = async (name: ListName): Promise<Drained['items']> => {
    const { check, items } = await lookAt(conversation, name, firstPageOnly);
    note(name, check);
    return items;
  };
  const [tools, resources, templates, prompts] = await Promise.all([
    look('tools'),
    look('resources'),
    look('resourceTemplates'),
    look('prompts'),
  ]);
  const metadata: [string, unknown][] = [];
  report.tools = await mapYielding(tools, (listed) => {
    // A broken server may list anything.
    if (typeof listed !== 'object' || listed === null || !('_meta' in listed)) return listed as never;
    const { _meta, ...tool } = listed;
    if (typeof tool['name'] !== 'string') return listed as never;
    metadata.push([tool['name'], _meta]);
    return tool as never;
  });
  // Built with `fromEntries`: a tool may be named `__proto__`.
  report.toolsMetadata = Object.fromEntries(metadata);
  report.resources = resources as never;
  report.resourceTemplates = templates;
  report.prompts = prompts as never;
}

async function lookAt(
  conversation: Conversation,
  name: ListName,
  firstPageOnly: boolean,
): Promise<{ check: Check; items: Drained['items'] }> {
  const { noun, method } = lists[name];
  try {
    const drained = await drain(conversation, name, firstPageOnly);
    if (!drained) return { check: skipped(`The server does not offer ${noun}s.`), items: [] };
    const { items, complaint } = drained;
    const found = `${items.length} ${noun}${items.length === 1 ? '' : 's'} discovered.`;
    if (complaint === undefined) return { check: ok(found), items };
    return {
      check: { status: 'error', detail: `${found} Clients may refuse the list: ${complaint}` },
      items,
    };
  } catch (error) {
    // If Drydock itself is busy, that is no finding about the server.
    if (!(error instanceof McpFailure) || error.kind === 'busy') throw error;
    return { check: { status: 'error', detail: `${method} failed: ${adviceFor(error)}` }, items: [] };
  }
}

function nameOf(info: Record<string, unknown> | null): string {
  const name = info?.['title'] ?? info?.['name'];
  return typeof name === 'string' ? name : 'The server';
}

function statusOf({ error, connection, checks }: Report): Report['status'] {
  if (connection.status === 'error') return 'error';
  if (error?.code === 'OAUTH_REQUIRED') return 'oauth_required';
  return Object.values(checks).some(({ status }) => status === 'error') ? 'partial' : 'ready';
}

function emptyReport(context: ProjectContext, { server }: Reached): Report {
  const pending = skipped('Not reached.');
  return {
    target: {
      kind: server.transportType,
      scope: 'hosted',
      projectId: server.projectId,
      serverId: server.id,
      label: server.name,
      ...(server.url !== null && { url: server.url }),
    },
    generatedAt: new Date(context.clock()).toISOString(),
    status: 'error',
    probe: null,
    connection: { status: 'skipped', detail: 'Not reached.' },
    initInfo: null,
    capabilities: null,
    tools: [],
    toolsMetadata: {},
    resources: [],
    resourceTemplates: [],
    prompts: [],
    checks: {
      probe: pending,
      connection: pending,
      initialization: pending,
      capabilities: pending,
      tools: pending,
      resources: pending,
      resourceTemplates: pending,
      prompts: pending,
    },
    error: null,
  };
}

function skipRest({ report, note }: Examination, detail: string): void {
  const { checks, connection } = report;
  if (checks.connection.status === 'skipped') note('connection', skipped(connection.detail));
  for (const name of [
    'initialization',
    'capabilities',
    'tools',
    'resources',
    'resourceTemplates',
    'prompts',
  ] as const)
    note(name, skipped(detail));
}

function ok(detail: string): Check {
  return { status: 'ok', detail };
}

function skipped(detail: string): Check {
  return { status: 'skipped', detail };
}
