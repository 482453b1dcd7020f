import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serveDemoHttp } from '../../src/demo-server/http.ts';
import type { OfferedTool } from '../../src/models/turn.ts';
import { everythingStdio, filesystemStdio, memoryStdio, type StdioServer } from '../targets/processes.ts';

export type Fixture = 'demo' | 'everything' | 'filesystem' | 'memory' | 'office' | 'forge';

/** The tools of real servers, and some that real servers could have. `folder` is one they may use. */
export async function realTools(folder: string): Promise<Record<Fixture, OfferedTool[]>> {
  const over = (server: StdioServer) => toolsOf(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  const demo = await serveDemoHttp(0, 'test');
  try {
    const [ships, everything, filesystem, memory] = await Promise.all([
      toolsOf(new StreamableHTTPClientTransport(new URL(demo.url))),
      over(everythingStdio()),
      over(filesystemStdio(folder)),
      over(memoryStdio(join(folder, 'memory.json'))),
    ]);
    return { demo: ships, everything, filesystem, memory, office, forge };
  } finally {
    await demo.stop();
  }
}

async function toolsOf(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
): Promise<OfferedTool[]> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  } finally {
    await client.close();
  }
}

const text = { type: 'string' };
const integer = { type: 'integer' };
const yesOrNo = { type: 'boolean' };
const date = { type: 'string', format: 'date' };
const status = { type: 'string', enum: ['open', 'in_progress', 'done'] };

function tool(
  name: string,
  description: string,
  properties: Record<string, object>,
  required: string[],
): OfferedTool {
  return { name, description, inputSchema: { type: 'object', properties, required } };
}

const office: OfferedTool[] = [
  tool(
    'send_email',
    'Send an email to somebody.',
    { to: { ...text, format: 'email' }, subject: text, body: text, cc: { type: 'array', items: text } },
    ['to', 'body'],
  ),
  tool(
    'createCalendarEvent',
    'Create an event in the calendar.',
    {
      title: text,
      date,
      startTime: { ...text, description: 'When it begins, HH:MM' },
      durationMinutes: { ...integer, description: 'Length in minutes' },
      attendees: { type: 'array', items: text },
    },
    ['title', 'date'],
  ),
  tool(
    'jira.searchIssues',
    'Search for issues with a text query, filtered by status and labels.',
    {
      query: text,
      status,
      labels: { type: 'array', items: { type: 'string', enum: ['bug', 'feature', 'docs'] } },
      maxResults: { ...integer, default: 10 },
    },
    ['query'],
  ),
  tool('get_issue', 'Get one issue by its key.', { issueKey: text }, ['issueKey']),
  tool('update_issue_status', 'Change the status of an issue.', { issueKey: text, status }, [
    'issueKey',
    'status',
  ]),
  tool(
    'get_weather',
    'Current weather and forecast for a city.',
    {
      city: text,
      days: { ...integer, description: 'Days of forecast' },
      units: { type: 'string', enum: ['metric', 'imperial'] },
    },
    ['city'],
  ),
  tool(
    'convert_currency',
    'Convert an amount from one currency to another.',
    { amount: { type: 'number' }, from: text, to: text },
    ['amount', 'from', 'to'],
  ),
  tool(
    'search_flights',
    'Find flights between two airports on a date.',
    { origin: text, destination: text, date, passengers: integer, directOnly: yesOrNo },
    ['origin', 'destination', 'date'],
  ),
  tool('fetch', 'Fetch a URL and return its text.', { url: { ...text, format: 'uri' } }, ['url']),
  tool(
    'create_user',
    'Create a user account.',
    {
      user: {
        type: 'object',
        properties: { name: text, email: text, age: integer, admin: yesOrNo },
        required: ['name', 'email'],
      },
    },
    ['user'],
  ),
];

const repository = {
  owner: { ...text, description: 'Repository owner' },
  repo: { ...text, description: 'Repository name' },
};

const forge: OfferedTool[] = [
  tool(
    'create_pull_request',
    'Open a pull request.',
    {
      ...repository,
      title: text,
      head: { ...text, description: 'Branch with the changes' },
      base: { ...text, description: 'Branch to merge into' },
      draft: yesOrNo,
    },
    ['owner', 'repo', 'title', 'head', 'base'],
  ),
  tool(
    'list_commits',
    'List commits of a branch in a repository.',
    {
      ...repository,
      perPage: { ...integer, description: 'Results per page (max 100)' },
      page: { ...integer, description: 'Page number' },
    },
    ['owner', 'repo'],
  ),
  tool(
    'get_file_contents',
    'Get the contents of a file or directory.',
    { ...repository, path: text, branch: text },
    ['owner', 'repo', 'path'],
  ),
  tool(
    'create_issue',
    'Create a new issue in a repository.',
    { ...repository, title: text, body: text, labels: { type: 'array', items: text } },
    ['owner', 'repo', 'title'],
  ),
  tool('search_repositories', 'Search for repositories.', { query: text, page: integer }, ['query']),
];
