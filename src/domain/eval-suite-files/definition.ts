import { publicMatchOptions, seededChecks } from '../../evaluation/index.ts';
import type { SuiteFile } from '../../suite-files/suite-file.ts';
import type { CaseDefinition } from '../eval-suites/cases/definition.ts';
import { storedCheck, storedSteps } from '../eval-suites/cases/vocabulary.ts';
import { defaultJudge, type SuiteSettings, withJudge } from '../eval-suites/settings.ts';

type FileCase = SuiteFile['cases'][number];
type Defaults = SuiteFile['defaults'];
type Version = SuiteFile['schemaVersion'];

/** Suite settings of a file. Validated when the file was read. */
export function settingsIn({ defaults, schemaVersion }: SuiteFile): SuiteSettings {
  const { passThreshold, validity, judge, matchOptions, qualityGate } = defaults;
  return {
    policy: 2,
    repetitions: trialsIn(defaults) ?? 1,
    passThreshold,
    ...(validity && { validity }),
    ...(qualityGate && { qualityGate }),
    ...(matchOptions && { matchOptions: publicMatchOptions(matchOptions) }),
    checks: stored(checksIn(defaults), schemaVersion) ?? [...seededChecks],
    judge: withJudge(defaultJudge, judge ?? {}),
  };
}

/** A case of a file, in stored form. */
export function definitionIn(one: FileCase, version: Version): CaseDefinition {
  const repetitions = trialsIn(one);
  const checks = stored(checksIn(one), version);
  const mode =
    'checksMode' in one ? one.checksMode : 'assertionsMode' in one ? one.assertionsMode : undefined;
  const { matchOptions, isNegativeTest, model, models, suppressedSuiteStandardCheckIds: suppressed } = one;
  return withoutGaps({
    steps: storedSteps(one.steps, version),
    iterations: repetitions ?? 1,
    repetitions,
    expectedOutput: one.expectedOutput,
    passThreshold: one.passThreshold,
    isNegative: isNegativeTest ?? false,
    scenario: one.scenario,
    intent: one.intent,
    kind: one.kind,
    models: models ?? (model === undefined ? [] : [{ model }]),
    matchOptions: matchOptions && publicMatchOptions(matchOptions),
    checks: checks || mode ? { mode: mode ?? 'extend', list: checks ?? [] } : undefined,
    judge: one.judge,
    import: one.import,
    source: one.source,
    suppressed,
    failOnToolError: one.failOnToolError === false ? false : undefined,
    disabled: one.disabled || undefined,
  });
}

function trialsIn(given: Defaults | FileCase): number | undefined {
  return 'iterations' in given ? given.iterations : 'repetitions' in given ? given.repetitions : undefined;
}

function checksIn(given: Defaults | FileCase): SuiteSettings['checks'] | undefined {
  return 'assertions' in given ? given.assertions : 'checks' in given ? given.checks : undefined;
}

function stored(checks: SuiteSettings['checks'] | undefined, version: Version): typeof checks {
  return checks?.map((check, index) => storedCheck(check, version, String(index)));
}

/** Drops undefined fields. */
export function withoutGaps<Given extends object>(
  given: Given,
): { [Field in keyof Given]: Exclude<Given[Field], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
