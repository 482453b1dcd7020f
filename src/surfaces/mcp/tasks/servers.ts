import { z } from 'zod';
import { named } from '../../../platform/quoted.ts';
import type { Client } from '../../client/index.ts';
import { linkTo } from '../addresses.ts';
import type { Calling } from '../agent.ts';
import { provenanceLabels } from '../answers.ts';
import { projectOf, serverOf } from '../names.ts';
import { refuseLarge } from '../operation-call.ts';
import { withRateLimitRetry } from '../rate-limit-retry.ts';
import { answerSize, tool } from '../tool.ts';
import { project, server } from './arguments.ts';

type Report = Awaited<ReturnType<Client['runDoctor']>>;
type ToolPage = Awaited<ReturnType<Client['listTools']>>;
type Listed = ToolPage['items'][number];

const asks = { openWorldHint: true };

interface Place {
  projectId: string;
  serverId: string;
  /** The escaped name with the ID. */
  title: string;
}

async function placeOf(
  calling: Calling,
  input: { project?: string | undefined; server: string },
): Promise<Place> {
  const { id: projectId } = await projectOf(calling, input.project);
  const { id, name } = await serverOf(calling, projectId, input.server);
  return { projectId, serverId: id, title: name === id ? id : `${named(name)} (${id})` };
}

export const diagnoseServer = tool({
  name: 'diagnose_server',
  title: 'Diagnose a server',
  description:
    'Connect to a saved MCP server and report whether it works, what is wrong and how to fix it. Reads its lists and calls none of its tools.',
  input: z.strictObject({ server, project }),
  hints: asks,
  run: async (input, calling) => {
    const { projectId, serverId, title } = await placeOf(calling, input);
    const { agent, signal } = calling;
    const report = await withRateLimitRetry(
      () => agent.client.runDoctor({ projectId, serverId, body: {} }, { signal }),
      signal,
    );
    const bad = Object.entries(report.checks).filter(([, { status }]) => status === 'error');
    const { tools, resources, resourceTemplates, prompts } = report;
    return {
      ours: [
        `Server ${title} is ${statusLabels[report.status]}.`,
        ...(bad.length > 0 ? [`Failed checks: ${bad.map(([name]) => name).join(', ')}.`] : []),
        `The server lists ${tools.length} tools, ${prompts.length} prompts, ${resources.length} resources and ${resourceTemplates.length} resource templates.`,
      ],
      data: {
        provenance: `${provenanceLabels.server} Drydock wrote the sentences about checks, which may quote the server.`,
        value: condensed(report),
      },
      full: linkTo('runDoctor', { projectId, serverId }, 'The full diagnostics, run again'),
    };
  },
});

const statusLabels: Record<Report['status'], string> = {
  ready: 'ready',
  oauth_required: 'reachable and requires an OAuth grant',
  partial: 'connected, but some lists cannot be read',
  error: 'not usable',
};

function condensed({ checks, error, initInfo, probe, tools, target }: Report) {
  return {
    status: Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, check.status])),
    wrong: Object.entries(checks).flatMap(([name, { status, detail }]) =>
      status === 'error' ? [{ check: name, detail }] : [],
    ),
    error: error && { code: error.code, message: error.message },
    url: target.url,
    protocolVersion: initInfo?.protocolVersion ?? probe?.protocolVersion,
    transport: initInfo?.transport,
    serverInfo: initInfo?.serverInfo,
    instructions: initInfo?.instructions,
    oauth: probe?.oauth.required ? { discoveryError: probe.oauth.discoveryError } : undefined,
    tools: tools.slice(0, 60).map(({ name }) => name),
  };
}

const maxPages = 10;

export const listServerTools = tool({
  name: 'list_server_tools',
  title: "List a server's tools",
  description:
    'List the tools of a saved MCP server with short descriptions and parameters. Name one tool to see its full definition.',
  input: z.strictObject({
    server,
    project,
    tool: z.string().min(1).max(1000).optional().describe('Show the full definition of this tool.'),
    query: z.string().max(200).optional().describe('Only tools that contain this word.'),
    answerSize,
  }),
  hints: asks,
  run: async (input, calling) => {
    const { title, ...place } = await placeOf(calling, input);
    const { tools, complete } = await allTools(calling, place);
    const word = input.query?.toLowerCase() ?? '';
    const shown = tools.filter((each) =>
      input.tool === undefined ? JSON.stringify(each).toLowerCase().includes(word) : each.name === input.tool,
    );
    return {
      ours: [
        `Server ${title} lists ${tools.length} tools${complete ? '' : ', and more on further pages'}; ${shown.length} shown.`,
      ],
      data: {
        provenance: provenanceLabels.server,
        value: input.tool === undefined ? shown.map(inShort) : shown,
      },
    };
  },
});

async function allTools(
  { agent, signal }: Calling,
  place: { projectId: string; serverId: string },
): Promise<{ tools: Listed[]; complete: boolean }> {
  const tools: Listed[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const body = cursor === undefined ? {} : { cursor };
    const next = await withRateLimitRetry(
      () => agent.client.listTools({ ...place, body }, { signal }),
      signal,
    );
    tools.push(...next.items);
    cursor = next.nextCursor;
    if (cursor === undefined) return { tools, complete: true };
  }
  return { tools, complete: false };
}

function typeWord(type: unknown): string {
  return typeof type === 'string' ? type : 'any';
}

/** Parameters as `offset?: integer`, and the start of the description. */
function inShort({ name, description, inputSchema }: Listed) {
  const { properties = {}, required = [] } = (inputSchema ?? {}) as {
    properties?: Record<string, { type?: unknown } | null>;
    required?: unknown[];
  };
  const parameters = Object.entries(properties ?? {}).map(
    ([parameter, schema]) =>
      `${parameter}${Array.isArray(required) && required.includes(parameter) ? '' : '?'}: ${typeWord(schema?.type)}`,
  );
  return {
    name,
    does: typeof description === 'string' ? description.slice(0, 300) : undefined,
    takes: parameters.join(', '),
  };
}

export const callServerTool = tool({
  name: 'call_server_tool',
  title: 'Call a tool of a server',
  description:
    'Call one tool of a saved MCP server and return its answer. The tool may have any effect on that server. Cancelling this request cancels the call.',
  input: z.strictObject({
    server,
    project,
    tool: z.string().min(1).max(1000).describe('Name of the tool.'),
    arguments: z.record(z.string(), z.unknown()).default({}),
    answerSize,
  }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  run: async (input, calling) => {
    const { title, ...place } = await placeOf(calling, input);
    const { agent, signal } = calling;
    const body = { toolName: input.tool, parameters: input.arguments };
    refuseLarge(body, agent.bodyLimit);
    const result = await withRateLimitRetry(
      () => agent.client.callTool({ ...place, body }, { signal }),
      signal,
    );
    const { content, isError, durationMs, ...rest } = result;
    const took = typeof durationMs === 'number' ? ` after ${Math.round(durationMs)} ms` : '';
    return {
      ours: [
        `Tool ${named(input.tool)} of server ${title} ${isError ? 'reported an error (isError is true)' : 'answered'}${took}.`,
      ],
      data: { provenance: provenanceLabels.server, value: { content: shownContent(content), ...rest } },
    };
  },
});

function shownContent(content: unknown): unknown {
  return Array.isArray(content) ? content.map(withoutBytes) : content;
}

/** Replaces the base64 data of images and audio with its size. */
function withoutBytes(block: unknown): unknown {
  if (typeof block !== 'object' || block === null) return block;
  const { data, resource } = block as Record<string, unknown>;
  if (typeof data === 'string') return { ...block, data: `(${data.length} characters of base64)` };
  const blob = (resource as { blob?: unknown } | undefined)?.blob;
  if (typeof blob === 'string')
    return { ...block, resource: { ...(resource as object), blob: `(${blob.length} characters of base64)` } };
  return block;
}

export const checkServerContract = tool({
  name: 'check_server_contract',
  title: "Check a server's contract",
  description:
    'Compare the current contract of a server with its saved baseline, and list breaking changes. Save a baseline with write_operation setServerContractBaseline.',
  input: z.strictObject({
    server,
    project,
    failOn: z.enum(['breaking', 'risky']).default('breaking').describe('Lowest impact that fails the check.'),
    answerSize,
  }),
  hints: asks,
  run: async (input, calling) => {
    const { title, ...place } = await placeOf(calling, input);
    const { agent, signal } = calling;
    const check = await withRateLimitRetry(
      () => agent.client.checkServerContract({ ...place, body: { failOn: input.failOn } }, { signal }),
      signal,
    );
    const { breaking, risky, safe } = check.counts;
    return {
      ours: [
        `Contract of server ${title}: ${check.result}. ${breaking} breaking, ${risky} risky and ${safe} safe changes since the baseline.`,
        ...(check.truncated ? ['Not all differences are listed.'] : []),
      ],
      data: {
        provenance: provenanceLabels.server,
        value: check.differences.map(({ impact, kind, subject, pointer, message }) => ({
          impact,
          kind,
          subject,
          pointer,
          message,
        })),
      },
    };
  },
});
