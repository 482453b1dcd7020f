import { createHash } from 'node:crypto';
import { type Command, Option } from 'commander';
import { type Ci, detectCi } from '../ci/detect.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import { exitCodes } from '../exit-codes.ts';
import { readNamed } from '../files.ts';
import type { Host } from '../host.ts';
import { placeOptions } from '../options.ts';

interface ReportOptions extends LocationOptions {
  suite: string;
  format: 'auto' | 'junit' | 'jest';
  minimum?: string;
}

export function reportCommand(group: Command, host: Host): void {
  const command = group
    .command('report <file>')
    .description('Store a JUnit, Jest or Vitest report as a run; exits 0 passed, 1 failed')
    .requiredOption('--suite <name>', 'Suite of the run (created if missing)')
    .option('--minimum <percent>', 'Minimum pass rate (default: that of the suite, or 100)')
    .addOption(new Option('--format <format>').choices(['auto', 'junit', 'jest']).default('auto'));
  placeOptions(command).action(async (path: string, options: ReportOptions) => {
    const bytes = await readNamed(path);
    const ci = detectCi(process.env);
    process.exitCode = await host.withApi(options, async (api, projectId) => {
      const contentType = bytes.find((byte) => byte > 32) === 60 ? 'application/xml' : 'application/json';
      const { storageId } = await api.uploadEvalArtifact({ projectId, upload: { contentType, bytes } });
      const run = await api.reportEvalArtifact({
        projectId,
        storageId,
        body: {
          suiteName: options.suite,
          format: options.format,
          ...(options.minimum !== undefined && {
            passCriteria: { minimumPassRatePercent: Number(options.minimum) },
          }),
          ...(ci && { ci: { ...ci }, externalRunId: runNameOf(ci, options.suite, bytes) }),
        },
      });
      const { passed, total } = run.summary;
      const skipped = run.tests.skipped > 0 ? `, ${run.tests.skipped} skipped` : '';
      process.stdout.write(
        `${run.runId}\n${String(run.result).toUpperCase()}: ${passed} of ${total} tests passed${skipped}\n`,
      );
      return run.result === 'passed' ? exitCodes.passed : exitCodes.failed;
    });
  });
}

/** A retried job reports the same content under the same external ID, so it stays one run. */
function runNameOf({ provider, pipelineId = '', jobId = '' }: Ci, suite: string, bytes: Uint8Array): string {
  const content = createHash('sha256').update(suite).update(bytes).digest('hex').slice(0, 16);
  return [provider, pipelineId, jobId, content].join('/').slice(0, 256);
}
