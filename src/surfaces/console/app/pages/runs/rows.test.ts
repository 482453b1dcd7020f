import { expect, test } from 'vitest';
import { chosenRows, chosenTrials, type LiveUpdate, rowsOf } from './rows.ts';

type Page = Parameters<typeof rowsOf>[0][number];

function trial(id: string, place: number, more: Partial<Page['items'][number]> = {}): Page['items'][number] {
  return {
    id,
    case: place,
    iterationNumber: 1,
    status: 'completed',
    result: 'passed',
    durationMs: 100,
    tokensUsed: 10,
    estimatedCostUsd: null,
    tools: [],
    ...more,
  };
}

const cases = ['Lists', 'Adds'].map((title) => ({
  testCaseId: title,
  title,
  model: 'm',
  provider: 'p',
}));

const first: Page = {
  cases,
  tools: ['list', 'add'],
  items: [
    trial('a1', 0, { tools: [0], durationMs: 300 }),
    trial('a2', 0, { iterationNumber: 2, result: 'failed', firstFailedStage: 'call', tools: [0, 1] }),
    trial('b1', 1, { status: 'running', result: null, durationMs: null, tokensUsed: null }),
  ],
};
/** Case and tool indexes start at zero on each page. */
const second: Page = {
  cases: [cases[1] as Page['cases'][number]],
  tools: ['add'],
  items: [trial('b2', 0, { iterationNumber: 2, tools: [0] })],
};

test('pages are put together by case, and figures leave out what was not measured', () => {
  const rows = rowsOf([first, second], new Map());
  expect(
    rows.map(({ title, passed, judged, latency, cost }) => ({ title, passed, judged, latency, cost })),
  ).toEqual([
    { title: 'Lists', passed: 1, judged: 2, latency: 200, cost: undefined },
    { title: 'Adds', passed: 1, judged: 1, latency: 100, cost: undefined },
  ]);
  expect(rows[1]?.trials.map(({ id, tools }) => [id, tools])).toEqual([
    ['b1', []],
    ['b2', ['add']],
  ]);
});

test('what was heard counts for trials that were under way when they were read', () => {
  const heard: LiveUpdate = { status: 'completed', result: 'failed', durationMs: 7 };
  const rows = rowsOf(
    [first],
    new Map([
      ['b1', heard],
      ['a1', heard],
    ]),
  );
  expect(rows.map(({ trials }) => trials.map(({ state }) => state))).toEqual([
    ['passed', 'failed'],
    ['failed'],
  ]);
});

test('filters choose cases with a trial that fits, and the trials that do', () => {
  const rows = rowsOf([first, second], new Map());
  expect(chosenRows(rows, { state: 'failed' }).map(({ title }) => title)).toEqual(['Lists']);
  expect(chosenTrials(rows, { tool: 'add' }).map(({ trial }) => trial.id)).toEqual(['a2', 'b2']);
  expect(chosenRows(rows, { q: 'ADD' }).map(({ title }) => title)).toEqual(['Adds']);
  expect(chosenRows(rows, { stage: 'response' })).toEqual([]);
});

test('rows are sorted by a figure, those without one last in both directions', () => {
  const rows = rowsOf([{ ...first, items: first.items }], new Map());
  expect(chosenRows(rows, { sort: 'rate' }).map(({ title }) => title)).toEqual(['Lists', 'Adds']);
  expect(chosenRows(rows, { sort: 'rate', down: true }).map(({ title }) => title)).toEqual(['Lists', 'Adds']);
  expect(chosenRows(rows, { sort: 'case' }).map(({ title }) => title)).toEqual(['Adds', 'Lists']);
});
