import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { laneOf, recordedDurations } from './durations.ts';

/** Most files take less than a second per 1,000 bytes, so a new file begins early rather than last. */
const secondsPerByte = 0.001;

/** Begins with the files that take longest: a long file begun last would run alone while the other workers are idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, tagsFilter } = this.ctx.config;
    const recorded = recordedDurations(laneOf(tagsFilter));
    const expected = new Map(
      files.map((file) => [
        file,
        recorded.get(relative(root, file.moduleId)) ?? statSync(file.moduleId).size * secondsPerByte,
      ]),
    );
    return files.toSorted((a, b) => (expected.get(b) ?? 0) - (expected.get(a) ?? 0));
  }
}
