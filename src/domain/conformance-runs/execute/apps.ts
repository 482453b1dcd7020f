import { gradeApps, interfaceOf, type Read, toolsWithInterface } from '../../../conformance/apps.ts';
import type { SuiteReport } from '../../../conformance/report.ts';
import { McpFailure } from '../../../mcp/failures.ts';
import type { Conversation } from '../../../mcp/mcp.ts';
import { Redactor } from '../../../mcp/redactor.ts';
import { drain } from '../../live/drain.ts';
import { declaringWidgets } from '../../server-widgets/support.ts';
import { ask, graded, type Subject } from './subject.ts';

/** Maximum number of tools whose UI resources are checked. */
const maxTools = 50;

/** Checks that the UI resources named by tools exist and are well-formed. */
export function appsReport(subject: Subject): Promise<SuiteReport> {
  const clientCapabilities = declaringWidgets(subject.server.settings.clientCapabilities);
  return graded('apps', 'MCP Apps', () =>
    ask(subject, { clientCapabilities }, async (conversation) => {
      const all = toolsWithInterface((await drain(conversation, 'tools'))?.items ?? []);
      const tools = all.slice(0, maxTools);
      const read = new Map<string, Read>();
      for (const uri of new Set(tools.flatMap((tool) => interfaceOf(tool) ?? [])))
        if (uri.length <= maxUri) read.set(uri, await readInterface(conversation, uri));
      const { protocolVersion: profile } = conversation.identity;
      const groups = gradeApps(tools, read, all.length - tools.length);
      return { groups: await new Redactor(conversation.secrets()).hide(groups), profile };
    }),
  );
}

/** Resources whose URI has more characters are not read. */
const maxUri = 8_192;

/** An error response or an oversized answer is a finding; any other failure makes the suite incomplete. */
async function readInterface(conversation: Conversation, uri: string): Promise<Read> {
  try {
    return { result: (await conversation.ask('resources/read', { uri })).result };
  } catch (error) {
    if (error instanceof McpFailure && (error.kind === 'rpc' || error.kind === 'too-large'))
      return { problem: error.message };
    throw error;
  }
}
