import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import { type Ci, detectCi } from '../ci/detect.ts';
import type { PlaceOptions } from '../connect/place.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { placeOptions } from '../reports/options.ts';

interface ReportOptions extends PlaceOptions {
  suite: string;
  format: 'auto' | 'junit' | 'jest';
  minimum?: string;
}

/** Results that a test runner left in a file become a run. */
export function reportCommand(group: Command, host: Host): void {
  const command = group
    .command('report <file>')
    .description('store a JUnit, Jest or Vitest report as a run; exits 0 passed, 1 failed')
    .requiredOption('--suite <name>', 'the suite it belongs to; made when there is none')
    .option('--minimum <percent>', 'tests that have to pass; left out, as the suite says, or all')
    .addOption(new Option('--format <format>').choices(['auto', 'junit', 'jest']).default('auto'));
  placeOptions(command).action(async (path: string, options: ReportOptions) => {
    const bytes = new Uint8Array(await readFile(path).catch(cannotRead(path)));
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

/** A job that is run again sends the same report under the same name, which is then the same run. */
function runNameOf({ provider, pipelineId = '', jobId = '' }: Ci, suite: string, bytes: Uint8Array): string {
  const content = createHash('sha256').update(suite).update(bytes).digest('hex').slice(0, 16);
  return [provider, pipelineId, jobId, content].join('/').slice(0, 256);
}

function cannotRead(path: string): (error: Error) => never {
  return ({ message }) => {
    throw new OperatorProblem(`Cannot read ${path}: ${message}`);
  };
}
