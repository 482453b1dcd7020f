import { expect, test } from 'vitest';
import { type Stage, type StageResult, type StageState, stages } from '../stage.ts';
import { type StoredChain, verifyChain } from './verify.ts';

function rows(...states: StageState[]): StageResult[] {
  return states.map((state, at) => ({ stage: stages[at] as Stage, state }));
}

const fine = rows('passed', 'passed', 'passed', 'notApplicable', 'notMeasured', 'passed');
const failed = rows('passed', 'passed', 'failed', 'notReached', 'notReached', 'notReached');

test.each<[string, StoredChain, object]>([
  ['nothing stored', {}, { status: 'absent' }],
  ['null stored', { stageResults: null }, { status: 'absent' }],
  [
    'fine',
    { stageResults: fine, stageAnalyzerVersion: 12 },
    { status: 'verified', stages: fine, analyzerVersion: 12 },
  ],
  [
    'failed',
    {
      stageResults: failed,
      firstFailedStage: 'selection',
      failureCategory: 'selection',
      stageAnalyzerVersion: 8,
    },
    {
      status: 'verified',
      stages: failed,
      firstFailedStage: 'selection',
      failureCategory: 'selection',
      analyzerVersion: 8,
    },
  ],
  [
    'of a later version',
    { stageResults: fine, stageAnalyzerVersion: 13 },
    {
      status: 'verified',
      stages: fine,
      analyzerVersion: 13,
      analyzerVersionAhead: { reported: 13, known: 12 },
    },
  ],
  ['of no version', { stageResults: fine }, { status: 'unverified' }],
  [
    'too short',
    { stageResults: fine.slice(1), stageAnalyzerVersion: 12 },
    { status: 'unverified', analyzerVersion: 12 },
  ],
  [
    'out of order',
    { stageResults: fine.toReversed(), stageAnalyzerVersion: 12 },
    { status: 'unverified', analyzerVersion: 12 },
  ],
  [
    'a failure that is not named',
    { stageResults: failed, stageAnalyzerVersion: 12 },
    { status: 'unverified', analyzerVersion: 12 },
  ],
  [
    'another failure than named',
    { stageResults: failed, firstFailedStage: 'call', stageAnalyzerVersion: 12 },
    { status: 'unverified', analyzerVersion: 12 },
  ],
  [
    'something measured after the failure',
    {
      stageResults: failed.with(5, fine[5] as StageResult),
      firstFailedStage: 'selection',
      stageAnalyzerVersion: 12,
    },
    { status: 'unverified', analyzerVersion: 12 },
  ],
  [
    'not reached without a failure',
    { stageResults: fine.with(5, failed[5] as StageResult), stageAnalyzerVersion: 12 },
    { status: 'unverified', analyzerVersion: 12 },
  ],
  [
    'an unknown state of a later version',
    {
      stageResults: fine.with(0, { stage: 'connection', state: 'glorious' as StageState }),
      stageAnalyzerVersion: 13,
    },
    { status: 'unverified', analyzerVersion: 13, analyzerVersionAhead: { reported: 13, known: 12 } },
  ],
])('%s', (_title, stored, found) => {
  expect(verifyChain(stored)).toEqual(found);
});
