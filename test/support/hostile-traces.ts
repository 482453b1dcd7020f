type Raw = Record<string, unknown>;

const long = 'word '.repeat(100_000);
const many = Array.from({ length: 10_000 }, (_, at) => at);

/** As careless and hostile reporters send them, by what is odd about them. */
export const traces: Record<string, string | unknown[] | Raw> = {
  'A text': 'It went well.',
  'Empty lists': { messages: [], spans: [], prompts: [] },
  'Odd times': {
    messages: [],
    spans: [
      { id: 'missing' },
      { id: 'negative', startMs: -5_000, endMs: -10 },
      { id: 'negative', startMs: 3, endMs: 1 },
      { id: 'words', startMs: 'noon', endMs: null },
      { id: 'huge', startMs: 0, endMs: 1e300, totalTokens: -1 },
      { id: 'constructor', parentId: 'constructor', startMs: 1, category: 'constructor', name: '' },
    ],
  },
  'Many spans': {
    messages: [],
    spans: many.map((at) => ({ id: `span ${at}`, startMs: at, endMs: at + 2, parentId: `span ${at - 1}` })),
  },
  'Many messages': many.map((at) => ({ role: at % 2 ? 'assistant' : 'user', content: `message ${at}` })),
  'Long messages': [
    { role: 'user', content: long },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolName: long, toolCallId: 'a', input: { long } }],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolName: 't', toolCallId: 'a', output: { type: 'text', value: long } },
      ],
    },
    { role: long, content: many.map(() => ({ type: 'text', text: 'part' })) },
  ],
  'Odd messages': [
    { role: 'constructor', content: 'Who says this?' },
    { role: '__proto__', content: null },
    { content: 7 },
    { role: 3, content: [null, 1, 'two', [], { type: 'image', image: 'data:text/html,<script>1</script>' }] },
    {
      role: 'assistant',
      content: [{ type: 'text' }, { type: 'tool-call' }, { type: 'tool-result', output: 'plain' }],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', output: null },
        { type: 'tool-result', result: [1], isError: 'yes' },
      ],
    },
  ],
  'Odd frames': {
    messages: [{}],
    spans: [{ id: 's', startMs: 0, toolCallId: 'x' }],
    frames: [null, 'frame', { toolCallId: 'x' }],
  },
};
