import { absent, complete, partial, tool } from '../evidence.ts';
import { type CheckExample, examples } from './example.ts';

const described = tool('find', { description: 'Finds ships by the city they lie in' });
const incomplete = { declarations: partial(described) };

/** Examples for checks of tool declarations. */
export const declarationExamples: CheckExample[] = [
  ...examples(
    'toolDescriptionsPresent',
    [{}, { declarations: complete(described) }, 'passed'],
    [{}, {}, 'passed'],
    [{}, { declarations: complete(described, tool('bare')) }, 'failed', 'bare has no description'],
    [{ minLength: 50 }, { declarations: complete(described) }, 'failed', '50'],
    [{}, { declarations: complete(tool('odd', { description: 5 })) }, 'failed'],
    [{}, incomplete, 'error'],
    [{}, { declarations: absent }, 'error'],
  ),
  ...examples(
    'toolAnnotationsPresent',
    [{}, { declarations: complete(tool('find', { annotations: {} })) }, 'passed'],
    [
      { require: ['readOnlyHint'] },
      { declarations: complete(tool('find', { annotations: { readOnlyHint: false } })) },
      'passed',
    ],
    [
      { require: ['readOnlyHint'] },
      { declarations: complete(tool('find', { annotations: { readOnlyHint: 'yes' } })) },
      'failed',
      'no readOnlyHint',
    ],
    [{}, { declarations: complete(described) }, 'failed', 'no annotations'],
    [{}, incomplete, 'error'],
  ),
  ...examples(
    'toolNamesUnique',
    [{}, { declarations: complete(described, tool('find', { serverId: 'another' })) }, 'passed'],
    [{}, { declarations: complete(described, described) }, 'failed', 'find'],
    [{}, incomplete, 'error'],
  ),
  ...examples(
    'noDeprecatedToolExposed',
    [{}, { declarations: complete(described) }, 'passed'],
    [
      {},
      { declarations: complete(tool('old', { description: 'This tool is deprecated' })) },
      'failed',
      'old',
    ],
    [{}, { declarations: complete(tool('old', { description: 'Deprecated: gone soon' })) }, 'failed', 'old'],
    [{}, incomplete, 'error'],
  ),
  ...examples(
    'toolInputSchemasWellFormed',
    [{}, { declarations: complete(tool('find', { inputSchema: { type: 'object' } })) }, 'passed'],
    [
      {},
      {
        declarations: complete(
          tool('find', { inputSchema: { type: 'object', properties: { city: { description: 'Where' } } } }),
        ),
      },
      'passed',
    ],
    [
      {},
      {
        declarations: complete(
          tool('find', { inputSchema: { type: 'object', properties: { city: { description: ' ' } } } }),
        ),
      },
      'failed',
      'city',
    ],
    [
      {},
      {
        declarations: complete(tool('find', { inputSchema: { type: 'object', properties: { city: true } } })),
      },
      'failed',
      'city',
    ],
    [
      {},
      { declarations: complete(tool('find', { inputSchema: { type: 'array' } })) },
      'failed',
      'type object',
    ],
    [{}, { declarations: complete(described) }, 'failed', 'no input schema'],
    [{}, incomplete, 'error'],
  ),
  ...examples(
    'toolOutputSchemasPresent',
    [{}, { declarations: complete(tool('find', { outputSchema: {} })) }, 'passed'],
    [{}, { declarations: complete(described) }, 'failed'],
    [{}, incomplete, 'error'],
  ),
];
