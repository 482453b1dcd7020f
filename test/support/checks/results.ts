import { absent, call, complete, partial, result, timing, toolError } from '../evidence.ts';
import { type CheckExample, examples } from './example.ts';

const find = call('find', { limit: 2 });
const toolCalls = [find];
const text = result('find', { text: 'Two ships lie in Kiel', bytes: 21 });
const structured = result('find', { structuredContent: { ships: ['Gorch'], total: 2 }, bytes: 40 });
const json = result('find', { text: '{"ships":[1,2]}', json: { ships: [1, 2] }, bytes: 15 });
const cutShort = result('find', { text: 'Two sh', whole: false });

/** Examples for checks of tool results. */
export const resultExamples: CheckExample[] = [
  ...examples(
    'toolResultMatches',
    [{ patterns: ['ships? lie'] }, { toolResults: complete(text) }, 'passed'],
    [{ patterns: ['"total":2'] }, { toolResults: complete(structured) }, 'passed'],
    [{ patterns: ['^2$'], path: '/total' }, { toolResults: complete(structured) }, 'passed'],
    [{ patterns: ['^2$'], path: '/none' }, { toolResults: complete(structured) }, 'failed'],
    [{ patterns: ['ships'], toolName: 'other' }, { toolResults: complete(text) }, 'failed', '0 results of 0'],
    [{ patterns: ['boats'], min: 0, max: 0 }, { toolResults: complete(text) }, 'passed'],
    [{ patterns: ['ships'], min: 0, max: 0 }, { toolResults: partial(text) }, 'failed'],
    [{ patterns: ['boats'], min: 0, max: 0 }, { toolResults: partial(text) }, 'error', 'Not all'],
    [{ patterns: ['boats'] }, { toolResults: absent }, 'error'],
    [{ patterns: ['ships'] }, { toolResults: partial(text) }, 'passed'],
    [{ patterns: ['Two'] }, { toolResults: complete(cutShort) }, 'error', 'cannot be searched'],
  ),
  ...examples(
    'toolLatencyUnder',
    [{ ms: 100 }, { toolCalls, timings: complete(timing('find', 99)) }, 'passed', '99 ms'],
    [{ ms: 100 }, {}, 'passed', 'no call'],
    [
      { ms: 100 },
      { toolCalls, timings: complete(timing('find', 20), timing('find', 100)) },
      'failed',
      '100 ms',
    ],
    [{ ms: 100, toolName: 'other' }, { toolCalls, timings: complete(timing('find', 500)) }, 'passed'],
    [{ ms: 100 }, { toolCalls }, 'error'],
    [{ ms: 100 }, { toolCalls, timings: partial(timing('find', 1)) }, 'error'],
  ),
  ...examples(
    'toolResultContains',
    [{ needle: 'KIEL' }, { toolCalls, toolResults: complete(text) }, 'passed'],
    [{ needle: 'gorch' }, { toolCalls, toolResults: complete(structured) }, 'passed'],
    [{ needle: 'KIEL', caseSensitive: true }, { toolCalls, toolResults: complete(text) }, 'failed'],
    [{ needle: 'Kiel' }, {}, 'failed', 'returned'],
    [{ needle: 'Kiel' }, { toolCalls }, 'error', 'No result of a call of find'],
    [
      { needle: 'Kiel' },
      { toolCalls, toolErrors: [toolError('find', 'x', { kind: 'protocol' })] },
      'failed',
      'returned',
    ],
    [{ needle: 'Kiel' }, { toolCalls, toolResults: partial(text) }, 'error'],
    [{ needle: 'Kiel' }, { toolCalls, toolResults: complete(cutShort) }, 'error', 'too large'],
    [{ needle: 'two' }, { toolCalls, toolResults: complete(cutShort) }, 'passed'],
  ),
  ...examples(
    'toolResultMatchesSchema',
    [{ schema: { required: ['ships'] } }, { toolCalls, toolResults: complete(structured) }, 'passed'],
    [{ schema: { required: ['ships'] } }, { toolCalls, toolResults: complete(json) }, 'passed'],
    [
      { schema: { required: ['ships'] } },
      { toolCalls, toolResults: complete(result('find', { text: '{"ships":[]}' })) },
      'passed',
    ],
    [
      { schema: { required: ['boats'] } },
      { toolCalls, toolResults: complete(structured) },
      'failed',
      'boats',
    ],
    [{ schema: {} }, { toolCalls, toolResults: complete(json, text) }, 'failed', 'no JSON'],
    [{ schema: {} }, {}, 'failed', 'returned'],
    [{ schema: {} }, { toolCalls, toolResults: absent }, 'error'],
    [{ schema: {} }, { toolCalls, toolResults: complete(cutShort) }, 'error', 'too large'],
    [
      { schema: { $ref: 'https://example.com/ship' } },
      { toolCalls, toolResults: complete(json) },
      'error',
      'another schema',
    ],
  ),
  ...examples(
    'toolResultSizeUnder',
    [{ maxBytes: 41 }, { toolCalls, toolResults: complete(text, structured) }, 'passed', '40 bytes'],
    [{ maxBytes: 40 }, { toolCalls, toolResults: complete(text, structured) }, 'failed', '40 bytes'],
    [{ maxBytes: 1 }, {}, 'passed'],
    [{ maxBytes: 1000 }, { toolCalls, toolResults: complete(result('find')) }, 'error', 'not measured'],
    [{ maxBytes: 1000 }, { toolCalls, toolResults: partial(text) }, 'error'],
  ),
  ...examples(
    'fullPageHasContinuation',
    [{}, {}, 'passed'],
    [{}, { toolCalls, toolResults: complete(structured) }, 'passed'],
    [{}, { toolCalls, toolResults: complete(json) }, 'failed', 'find'],
    [{}, { toolCalls, toolResults: complete(result('find', { structuredContent: [1, 2] })) }, 'failed'],
    [
      {},
      {
        toolCalls,
        toolResults: complete(result('find', { structuredContent: { ships: [1, 2], has_more: false } })),
      },
      'passed',
    ],
    [{}, { toolCalls: [call('find', { top: '2' })], toolResults: complete(json) }, 'passed'],
    [{}, { toolCalls, toolResults: partial(json) }, 'error'],
  ),
];
