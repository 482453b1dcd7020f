import { z } from 'zod';
import { invalid } from '../../../domain/base/refusals.ts';
import { named } from '../../../platform/quoted.ts';
import { isId } from '../../common/naming.ts';
import { linkTo } from '../addresses.ts';
import { provenanceLabels } from '../answers.ts';
import { everyServer, projectOf } from '../names.ts';
import { refuseLarge } from '../operation-call.ts';
import { retryingClient } from '../rate-limit-retry.ts';
import { answerSize, tool } from '../tool.ts';
import { project } from './arguments.ts';

const overwrites = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };
const texts = z.record(z.string().min(1).max(256), z.string().max(65_536));

export const saveServer = tool({
  name: 'save_server',
  title: 'Save a server',
  description:
    'Save an MCP server by url or by command, so that it can be diagnosed, called and evaluated. A server with this name is updated. Example: {"name": "weather", "url": "http://127.0.0.1:8080/mcp"} or {"name": "files", "command": "npx", "args": ["-y", "some-server"]}. Headers and env are stored encrypted and never returned. Saving does not connect; diagnose_server does.',
  hints: overwrites,
  input: z.strictObject({
    name: z.string().min(1).max(200),
    project,
    url: z.string().max(4096).optional().describe('URL of an HTTP server.'),
    headers: texts.optional(),
    command: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Program of a stdio server, run without a shell.'),
    args: z.array(z.string().max(8192)).max(256).optional(),
    env: texts.optional(),
  }),
  run: async (input, calling) => {
    const { project: where, name, ...fields } = input;
    if ((fields.url === undefined) === (fields.command === undefined)) throw invalid('Give url or command');
    const transportType = fields.url === undefined ? ('stdio' as const) : ('http' as const);
    refuseLarge(fields, calling.agent.bodyLimit);
    const { id: projectId } = await projectOf(calling, where);
    if (isId(name))
      throw invalid('name: Looks like an ID. Use a name, or update the server with updateProjectServer');
    const servers = await everyServer(calling, projectId);
    const known = servers.find((one) => one.name.trim().toLowerCase() === name.trim().toLowerCase());
    const client = retryingClient(calling);
    const body = { ...fields, transportType };
    const { id, droppedSecrets = [] } = known
      ? await client.updateProjectServer({ projectId, serverId: known.id, body })
      : { ...(await client.createProjectServer({ projectId, body: { name, ...body } })), droppedSecrets: [] };
    return {
      ours: [
        `Server ${named(known?.name ?? name)} was ${known ? 'updated' : 'saved'}: ${id}.`,
        ...(droppedSecrets.length > 0
          ? [
              `Stored secrets were removed because the URL or command changed: ${droppedSecrets.join(', ')}. Send them again if they are still valid.`,
            ]
          : []),
        'Next: diagnose_server, or list_server_tools.',
      ],
      links: [linkTo('getProjectServer', { projectId, serverId: id }, 'The server')],
    };
  },
});

/** A complete suite file as an example for agents; a test saves it. */
export const exampleSuite = {
  schemaVersion: '2',
  suite: { id: 'ships', name: 'Ships' },
  target: { servers: [{ name: 'demo' }] },
  defaults: { model: 'drydock/rehearsal', iterations: 3, passThreshold: 1 },
  cases: [
    {
      id: 'lists-ships',
      title: 'Lists ships',
      steps: [{ id: 'ask', kind: 'prompt', prompt: 'List the ships of the harbour.' }],
      assertions: [
        { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' },
        { type: 'responseContains', needle: 'Albatross' },
      ],
    },
  ],
};

export const saveSuite = tool({
  name: 'save_suite',
  title: 'Save a suite',
  description: `Save an eval suite with its cases as one document, a suite file; it replaces the suite with the same suite.id, and deletes cases that it does not contain. target.servers names saved servers. Example: ${JSON.stringify(exampleSuite)}`,
  hints: overwrites,
  input: z.strictObject({
    file: z
      .record(z.string(), z.unknown())
      .describe('The suite file as JSON. Errors list the path of each invalid field.'),
    project,
    answerSize,
  }),
  run: async ({ file, project: where }, calling) => {
    const { id: projectId } = await projectOf(calling, where);
    const declared = (file['suite'] as { id?: unknown } | undefined)?.id;
    if (typeof declared !== 'string' || declared === '') throw invalid('file.suite.id: Required');
    const bytes = new TextEncoder().encode(JSON.stringify(file));
    const upload = { contentType: 'application/json', bytes };
    const { suite, created, unchanged, cases } = await retryingClient(calling).syncEvalSuiteFile({
      projectId,
      declaredSuiteId: declared,
      upload,
    });
    const what = created ? 'created' : unchanged ? 'unchanged' : 'updated';
    return {
      ours: [
        `Suite ${named(suite.name ?? '')} was ${what}: ${suite.id}. Run it with run_suite, by this ID or its name.`,
      ],
      data: { provenance: provenanceLabels.records, value: { cases } },
      links: [linkTo('getEvalSuite', { projectId, suiteId: suite.id }, 'The suite')],
    };
  },
});
