import { call, complete, partial, result, tool } from '../evidence.ts';
import { type CheckExample, examples } from './example.ts';

const find = call('find', { city: 'Kiel', limit: 3 });
const broken = call('find', {}, { invalid: 'The arguments are no JSON' });
const city = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
};

/** Examples for checks of tool calls. */
export const callExamples: CheckExample[] = [
  ...examples(
    'toolCalledWith',
    [{ toolName: 'find', args: { args: { city: 'Kiel' } } }, { toolCalls: [find] }, 'passed'],
    [{ toolName: 'find', args: { args: {} } }, { toolCalls: [find] }, 'passed'],
    [{ toolName: 'find', args: { args: { limit: ' Number ' } } }, { toolCalls: [find] }, 'passed'],
    [{ toolName: 'find', args: { args: {} }, minCount: 2 }, { toolCalls: [find, find] }, 'passed', 'twice'],
    [{ toolName: 'find', args: { args: {} }, minCount: 2 }, { toolCalls: [find] }, 'failed', 'once'],
    [{ toolName: 'find', args: { args: { city: 'Bonn' } } }, { toolCalls: [find] }, 'failed', 'Kiel'],
    [
      { toolName: 'find', args: { args: { city: 'Kiel' }, argumentMatching: 'exact' } },
      { toolCalls: [find] },
      'failed',
    ],
    [
      { toolName: 'find', args: { args: { no: 1 }, argumentMatching: 'ignore' } },
      { toolCalls: [find] },
      'passed',
    ],
    [{ toolName: 'find', args: { args: {} } }, { toolCalls: [] }, 'failed', 'never called'],
    [{ toolName: 'find', args: { args: {} } }, { toolCalls: [broken] }, 'failed', 'never called'],
  ),
  ...examples(
    'toolCalledAtLeastOnce',
    [{ toolName: 'find' }, { toolCalls: [find] }, 'passed', 'once'],
    [{ toolName: 'find' }, { toolCalls: [call('other')] }, 'failed'],
    [{ toolName: 'find' }, { toolCalls: [broken] }, 'failed'],
  ),
  ...examples(
    'toolNeverCalled',
    [{ toolName: 'drop' }, { toolCalls: [find] }, 'passed'],
    [{ toolName: 'find' }, { toolCalls: [find] }, 'failed', 'once'],
    [{ toolName: 'find' }, { toolCalls: [broken] }, 'failed'],
  ),
  ...examples(
    'firstToolWas',
    [{ toolName: 'find' }, { toolCalls: [find, call('other')] }, 'passed'],
    [{ toolName: 'find' }, { toolCalls: [call('other'), find] }, 'failed', 'other'],
    [{ toolName: 'find' }, { toolCalls: [broken, find] }, 'failed', 'no server'],
    [{ toolName: 'find' }, {}, 'failed', 'No tool was called'],
  ),
  ...examples(
    'onlyToolsCalled',
    [{ toolNames: ['find'] }, { toolCalls: [find, find] }, 'passed'],
    [{ toolNames: [] }, {}, 'passed'],
    [{ toolNames: [] }, { toolCalls: [find] }, 'failed', 'find'],
    [{ toolNames: ['find'] }, { toolCalls: [call('')] }, 'failed'],
  ),
  ...examples(
    'toolCalledBefore',
    [
      { toolName: 'find', beforeToolName: 'book' },
      { toolCalls: [find, call('book'), call('book')] },
      'passed',
    ],
    [{ toolName: 'find', beforeToolName: 'book' }, {}, 'passed', 'never called'],
    [{ toolName: 'find', beforeToolName: 'book' }, { toolCalls: [call('book'), find] }, 'failed'],
    [{ toolName: 'find', beforeToolName: 'book' }, { toolCalls: [broken, call('book')] }, 'failed'],
    [{ toolName: 'find', beforeToolName: 'find' }, { toolCalls: [find, find] }, 'failed'],
  ),
  ...examples(
    'toolCallCountUnder',
    [{ count: 2 }, { toolCalls: [find] }, 'passed'],
    [{ count: 2 }, { toolCalls: [find, call('other')] }, 'failed', '2 calls'],
    [{ count: 2, toolName: 'find' }, { toolCalls: [find, call('other')] }, 'passed'],
  ),
  ...examples(
    'noRepeatedIdenticalCall',
    [{}, { toolCalls: [find, call('other'), find] }, 'passed'],
    [{}, { toolCalls: [find, call('find', { limit: 3, city: 'Kiel' })] }, 'failed', 'twice in a row'],
    [{}, { toolCalls: [find, { ...find, serverId: 'another' }] }, 'passed'],
    [{ toolName: 'other' }, { toolCalls: [find, find] }, 'passed'],
    [{ toolName: 'find' }, { toolCalls: [find, find] }, 'failed'],
  ),
  ...examples(
    'argumentsMatchToolSchema',
    [{}, {}, 'passed', 'no call'],
    [{}, { toolCalls: [find], inventory: complete(tool('find', { inputSchema: city })) }, 'passed'],
    [{ toolName: 'other' }, { toolCalls: [find] }, 'passed'],
    [
      {},
      { toolCalls: [call('find', { city: 5 })], inventory: complete(tool('find', { inputSchema: city })) },
      'failed',
      '/city must be string',
    ],
    [
      {},
      { toolCalls: [broken], inventory: complete(tool('find', { inputSchema: city })) },
      'failed',
      'no JSON',
    ],
    [
      {},
      {
        toolCalls: [call('gone'), call('find', {})],
        inventory: complete(tool('find', { inputSchema: city })),
      },
      'failed',
      'city',
    ],
    [{}, { toolCalls: [find], inventory: partial(tool('find', { inputSchema: city })) }, 'error', 'offered'],
    [{}, { toolCalls: [find] }, 'error', 'not among'],
    [{}, { toolCalls: [find], inventory: complete(tool('find')) }, 'error', 'no input schema'],
    [
      {},
      {
        toolCalls: [find],
        inventory: complete(tool('find', { inputSchema: city }), tool('find', { serverId: 'b' })),
      },
      'error',
      'Several servers',
    ],
    [
      {},
      {
        toolCalls: [{ ...find, serverId: 's' }],
        inventory: complete(tool('find', { inputSchema: city }), tool('find', { serverId: 'b' })),
      },
      'passed',
    ],
    [
      {},
      {
        toolCalls: [find],
        inventory: complete(
          tool('find', { inputSchema: { $schema: 'https://json-schema.org/draft/2019-09/schema' } }),
        ),
      },
      'error',
      '$schema',
    ],
  ),
  ...examples(
    'toolInputMatches',
    [{ toolName: 'find', patterns: ['"city":"K'] }, { toolCalls: [find] }, 'passed'],
    [
      { toolName: 'find', patterns: ['^k', 'L$'], flags: 'i', path: '/city' },
      { toolCalls: [find] },
      'passed',
    ],
    [{ toolName: 'find', patterns: ['^3$'], path: '/limit' }, { toolCalls: [find] }, 'passed'],
    [{ toolName: 'find', patterns: ['K', 'B'] }, { toolCalls: [find] }, 'failed', '0 calls of 1'],
    [{ toolName: 'find', patterns: ['K'], path: '/town' }, { toolCalls: [find] }, 'failed'],
    [{ toolName: 'find', patterns: ['K'], min: 0, max: 0 }, { toolCalls: [find] }, 'failed', '0 should'],
    [{ toolName: 'find', patterns: ['K'], min: 2, max: 3 }, { toolCalls: [find] }, 'failed', '2 to 3'],
    [{ toolName: 'find', patterns: ['(K'] }, { toolCalls: [find] }, 'failed', 'missing closing'],
    [
      { toolName: 'find', patterns: ['K'], min: 0, max: 0 },
      { toolCalls: [broken] },
      'error',
      'cannot be searched',
    ],
    [
      { toolName: 'find', patterns: ['x'] },
      { toolCalls: [call('find', { text: 'x'.repeat(100_001) })] },
      'error',
      'cannot be searched',
    ],
    [
      { toolName: 'find', patterns: ['K'] },
      { toolCalls: [find, call('find', { text: 'x'.repeat(100_001) })] },
      'passed',
    ],
  ),
  ...examples(
    'noDeprecatedToolCalled',
    [{}, {}, 'passed'],
    [
      {},
      { toolCalls: [find], inventory: complete(tool('find', { description: 'Finds a thing' })) },
      'passed',
    ],
    [
      {},
      { toolCalls: [find], inventory: complete(tool('find', { description: '**DEPRECATED** Finds' })) },
      'failed',
      'find',
    ],
    [
      {},
      {
        toolCalls: [find],
        inventory: complete(
          tool('find', { description: 'Finds. It is deprecated, please use search instead' }),
        ),
      },
      'failed',
    ],
    [
      {},
      {
        toolCalls: [find],
        inventory: complete(tool('find', { description: 'Warns of deprecated packages; this is fine' })),
      },
      'passed',
    ],
    [{}, { toolCalls: [find], inventory: partial() }, 'error'],
  ),
  ...examples(
    'noDestructiveToolCalled',
    [{}, {}, 'passed'],
    [
      {},
      { toolCalls: [find], inventory: complete(tool('find', { annotations: { destructiveHint: false } })) },
      'passed',
    ],
    [
      {},
      { toolCalls: [find], inventory: complete(tool('find', { annotations: { destructiveHint: true } })) },
      'failed',
      'find',
    ],
    [{}, { toolCalls: [find], inventory: complete(tool('find')) }, 'error', 'annotations'],
    [{}, { toolCalls: [find], inventory: partial() }, 'error', 'offered'],
  ),
];

/** Examples for checks of tool errors. */
export const failureExamples: CheckExample[] = [
  ...examples(
    'noToolErrors',
    [{}, { toolCalls: [find], toolResults: complete(result('find')) }, 'passed'],
    [{}, { toolErrors: [{ ...find, kind: 'protocol', message: 'no such city' }] }, 'failed', 'no such city'],
  ),
  ...examples(
    'toolErrorNamesInput',
    [{}, {}, 'passed'],
    [
      {},
      {
        toolCalls: [{ ...find, invalid: 'The arguments are not valid JSON.' }],
        toolErrors: [{ ...find, kind: 'protocol', message: 'The arguments are not valid JSON.' }],
        inventory: complete(tool('find', { inputSchema: city })),
      },
      'passed',
    ],
    [
      {},
      {
        toolCalls: [find],
        toolErrors: [{ ...find, kind: 'content', message: 'Unknown CITY' }],
        inventory: complete(tool('find', { inputSchema: city })),
      },
      'passed',
    ],
    [
      {},
      {
        toolCalls: [find],
        toolErrors: [{ ...find, kind: 'content', message: 'There is no kiel' }],
        inventory: complete(tool('find')),
      },
      'passed',
    ],
    [
      {},
      {
        toolCalls: [find],
        toolErrors: [{ ...find, kind: 'content', message: 'invalid' }],
        inventory: complete(tool('find', { inputSchema: { properties: { id: {} } } })),
      },
      'failed',
      'names none',
    ],
    [
      {},
      {
        toolCalls: [find],
        toolErrors: [{ ...find, kind: 'content', message: ' ' }],
        inventory: complete(tool('find')),
      },
      'failed',
      'empty error message',
    ],
    [
      {},
      { toolCalls: [find], toolErrors: [{ ...find, kind: 'content', message: 'x' }], inventory: partial() },
      'error',
      'offered',
    ],
    [
      {},
      {
        toolCalls: [find, find],
        toolErrors: [{ ...find, kind: 'content', message: 'x' }],
        inventory: complete(tool('find')),
      },
      'error',
      'which call',
    ],
  ),
];
