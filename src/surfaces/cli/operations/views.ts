import type { Client } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { changeLines, changesTable } from '../../findings/run-changes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Screen } from '../screen/screen.ts';
import { tableText } from '../screen/table.ts';

/** How the answer of an operation is printed, and its exit code. */
export interface View {
  text?: (answer: never, screen: Screen) => string;
  exitCode?: (answer: never) => number;
}

type Doctor = Awaited<ReturnType<Client['runDoctor']>>;
type Comparison = Awaited<ReturnType<Client['compareEvalRun']>>;

/** Operations with a summary of their answer, or whose answer can be a failure. */
export const views: Readonly<Record<string, View>> = {
  callTool: {
    exitCode: ({ isError }: { isError?: unknown }) =>
      isError === true ? exitCodes.failed : exitCodes.passed,
  },
  runDoctor: {
    text: doctorText,
    exitCode: ({ status }: Doctor) => (status === 'error' ? exitCodes.failed : exitCodes.passed),
  },
  compareEvalRun: { text: comparisonText },
};

const statusLabels: Record<Doctor['status'], string> = {
  ready: 'ready',
  oauth_required: 'reachable and requires an OAuth grant',
  partial: 'connected, but some lists cannot be read',
  error: 'not usable',
};

function doctorText(report: Doctor, screen: Screen): string {
  const { target, status, checks, error, initInfo, tools, prompts, resources, resourceTemplates } = report;
  const rows = Object.entries(checks).map(([name, check]) => [
    name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    check.status,
    oneLine(check.detail ?? '', 200),
  ]);
  return [
    `${oneLine(target.label ?? target.url ?? '', 200)} is ${statusLabels[status]}.`,
    ...(error ? [`${oneLine(error.message, 500)} (${oneLine(error.code, 60)})`] : []),
    '',
    tableText(['Check', 'Status', 'Detail'], rows, screen),
    '',
    ...(initInfo?.protocolVersion ? [`Protocol   ${oneLine(initInfo.protocolVersion, 60)}`] : []),
    ...namesLine('Tools', tools),
    ...namesLine('Prompts', prompts),
    ...namesLine('Resources', resources),
    ...namesLine('Templates', resourceTemplates),
    '',
    'Use --json for the whole report.',
  ].join('\n');
}

const maxNames = 20;

function namesLine(what: string, items: readonly Record<string, unknown>[]): string[] {
  if (items.length === 0) return [];
  const names = items.slice(0, maxNames).map((item) => oneLine(String(item['name']), 60));
  const others = items.length - names.length;
  return [`${what.padEnd(9)}  ${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`];
}

function comparisonText(comparison: Comparison, screen: Screen): string {
  const { baseRun, compareRun, cases } = comparison;
  const { columns, rows } = changesTable({ comparison });
  const same = cases.length - rows.length;
  return [
    `Run ${compareRun.runNumber} (${compareRun.id}) compared with run ${baseRun.runNumber} (${baseRun.id}).`,
    ...changeLines({ comparison, notCompared: undefined }).slice(0, 1),
    ...(rows.length > 0
      ? [
          '',
          tableText(
            columns,
            rows.map((row) => row.map((cell) => oneLine(cell, 80))),
            screen,
          ),
        ]
      : []),
    '',
    `${same} of ${cases.length} cases unchanged. Use --json for the whole comparison.`,
  ].join('\n');
}
