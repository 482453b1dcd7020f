import type { Command } from 'commander';
import type { Client } from '../../client/index.ts';
import { joined, replayReport } from '../checks/replay-report.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { placeOptions, reportOptions } from '../options.ts';
import { publishReport, type ReportFiles } from '../reports/write.ts';
import { progress } from '../screen/screen.ts';
import { reported } from './check.ts';

interface ReplayOptions extends ReportFiles, LocationOptions {
  includeWrites?: true;
  tool?: string[];
}

type Page = Awaited<ReturnType<Client['replayEvalRun']>>;

export function replayCommand(group: Command, host: Host): void {
  const command = group
    .command('replay <run>')
    .description(
      'Repeat the tool calls of a run without a model; exits 0 passed, 1 when results changed shape or failed, 3 when the servers are unreachable',
    )
    .option('--include-writes', 'Also call tools that are not declared read-only')
    .option('--tool <name...>', 'Replay only these tools');
  reportOptions(placeOptions(command)).action(async (runId: string, options: ReplayOptions) => {
    process.exitCode = await host.withApi(options, async (api, projectId) => {
      const { say, end } = progress();
      say(`Replaying ${runId}`);
      const pages = await reported(`Replay of ${runId}`, runId, options, end, () =>
        allPages(api, { projectId, runId }, options, say),
      );
      const replay = joined(pages);
      await publishReport(replayReport(runId, replay), replay, options);
      return exitCodes[replay.summary.result];
    });
  });
}

async function allPages(
  api: Client,
  run: { projectId: string; runId: string },
  { includeWrites, tool }: ReplayOptions,
  say: (text: string) => void,
): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const body = {
      includeWrites: includeWrites ?? false,
      ...(tool && { tools: tool }),
      ...(cursor !== undefined && { cursor }),
    };
    const page = await api.replayEvalRun({ ...run, body });
    pages.push(page);
    const { calls, unavailable, skipped } = page.summary;
    say(`${joined(pages).summary.calls} calls`);
    // Stops when every call failed because the servers are unreachable.
    cursor = unavailable > 0 && unavailable + skipped === calls ? undefined : page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}
