import { seededChecks } from '../../evaluation/index.ts';
import { sameJson } from '../../platform/canonical.ts';
import type { CaseRow } from '../../platform/database/queries/eval-cases.ts';
import { maxTrials, type SuiteFile } from '../../suite-files/suite-file.ts';
import type { CaseDefinition } from '../eval-suites/cases/definition.ts';
import { shownCheck, shownSteps } from '../eval-suites/cases/vocabulary.ts';
import { defaultJudge, type SuiteSettings } from '../eval-suites/settings.ts';
import type { Suite } from '../eval-suites/suite.ts';
import { withoutGaps } from './definition.ts';

interface Options {
  target: SuiteFile['target'];
  notes: readonly string[];
  schemaVersion: SuiteFile['schemaVersion'];
}

type Version = SuiteFile['schemaVersion'];

/** Field names per schema version. */
const wordsOf = {
  '1': { trials: 'repetitions', checks: 'checks', mode: 'checksMode' },
  '2': { trials: 'iterations', checks: 'assertions', mode: 'assertionsMode' },
} as const;

/** Converts a suite to a file. The caller validates the result. */
export function fileOf(suite: Suite, rows: readonly CaseRow[], options: Options): SuiteFile {
  const { schemaVersion: version, target } = options;
  const { settings } = suite;
  const cases = rows.map((row) => ({ ...row, definition: row.definition as CaseDefinition }));
  const notes = [...options.notes, ...notesOn(suite, cases)];
  const file = {
    schemaVersion: version,
    ...(notes.length > 0 && { notes }),
    suite: withoutGaps({
      id: suite.declaredId ?? suite.id,
      name: suite.name,
      description: suite.description ?? undefined,
    }),
    target,
    defaults: defaultsOf(suite, cases, version),
    ...(suite.provenance !== null && { provenance: suite.provenance }),
    cases: cases.map(({ declaredId, title, definition }) => ({
      id: declaredId,
      title,
      ...caseOf(definition, settings, version),
    })),
  };
  return file as unknown as SuiteFile;
}

interface Case {
  title: string;
  definition: CaseDefinition;
}

function defaultsOf({ execution, settings }: Suite, cases: readonly Case[], version: Version): object {
  const { judge, checks, matchOptions, validity, qualityGate } = settings;
  const words = wordsOf[version];
  return withoutGaps({
    model: execution?.model ?? modelOfCases(cases),
    provider: execution?.provider,
    systemPrompt: execution?.systemPrompt,
    temperature: execution?.temperature,
    [words.trials]: Math.min(trialsOf(settings), maxTrials),
    passThreshold: thresholdOf(settings),
    validity,
    qualityGate,
    matchOptions,
    judge: sameJson(judge, defaultJudge) ? undefined : judge,
    [words.checks]: sameJson(checks, seededChecks)
      ? undefined
      : checks.map((check) => shownCheck(check, version)),
  });
}

function caseOf(definition: CaseDefinition, settings: SuiteSettings, version: Version): object {
  const { checks, models, isNegative, suppressed } = definition;
  const [only, another] = models;
  const single = only && !another && only.provider === undefined ? only.model : undefined;
  const words = wordsOf[version];
  return withoutGaps({
    intent: definition.intent,
    kind: definition.kind,
    scenario: definition.scenario,
    steps: shownSteps(definition.steps, version),
    [words.checks]: checks?.list.map((check) => shownCheck(check, version)),
    [words.mode]: checks && checks.mode !== 'extend' ? checks.mode : undefined,
    expectedOutput: definition.expectedOutput,
    isNegativeTest: isNegative || undefined,
    model: single,
    models: single === undefined && models.length > 0 ? models : undefined,
    matchOptions: definition.matchOptions,
    failOnToolError: definition.failOnToolError,
    suppressedSuiteStandardCheckIds: suppressed,
    judge: definition.judge,
    [words.trials]: ownTrials(definition, settings),
    passThreshold: definition.passThreshold,
    disabled: definition.disabled,
    import: definition.import,
    source: definition.source,
  });
}

/** Under policy 1, the count of a case is a minimum. */
function ownTrials({ iterations, repetitions }: CaseDefinition, settings: SuiteSettings): number | undefined {
  if (settings.policy === 2) return repetitions;
  const floor = trialsOf(settings);
  return iterations > floor ? iterations : undefined;
}

function trialsOf({ policy, repetitions, minimumIterations }: SuiteSettings): number {
  return (policy === 2 ? repetitions : minimumIterations) ?? 1;
}

function thresholdOf({ policy, passThreshold, minimumPassRate = 100 }: SuiteSettings): number {
  return policy === 2 ? (passThreshold ?? 1) : minimumPassRate / 100;
}

function modelOfCases(cases: readonly Case[]): string | undefined {
  return cases.flatMap(({ definition }) => definition.models)[0]?.model;
}

/** Notes about settings the file cannot express. */
function notesOn({ settings, execution, scheduleEnabled }: Suite, cases: readonly Case[]): string[] {
  const { policy, minimumIterations, minimumPassRate = 100 } = settings;
  const notes: string[] = [];
  if (policy === 1)
    notes.push(
      `The verdict of the suite is one rate over all trials, ${minimumPassRate}%. A file decides each case separately, here with the same rate`,
    );
  if (policy === 2 && (minimumIterations !== undefined || cases.some(hasFloor)))
    notes.push(
      'The minimum number of trials is left out: it has no effect when each case is decided separately',
    );
  if (trialsOf(settings) > maxTrials)
    notes.push(`The suite tries each case ${trialsOf(settings)} times; a file can say ${maxTrials} at most`);
  if (execution?.model === undefined && modelOfCases(cases) !== undefined)
    notes.push('The suite has no model, so defaults has the model of its first case with one');
  if (scheduleEnabled) notes.push('The schedule is not part of the file. Syncing does not change it');
  return notes;
}

function hasFloor({ definition: { iterations, repetitions } }: Case): boolean {
  return iterations !== (repetitions ?? 1);
}
