import { initializeResult, methodNotFound, sendError, sendResult } from './legacy.ts';
import { asTarget, listen, readRpc, type Target } from './listen.ts';

type Schema = Record<string, unknown>;

/** An outside address that a page must never request. */
const outside = 'http://127.0.0.1:9/outside';

const text = { type: 'string' };
const megabyte = 'x'.repeat(1_000_000);

function deep(levels: number): Schema {
  let schema: Schema = text;
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { inner: schema } };
  return schema;
}

function wide(fields: number, inner: Schema = text): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: fields }, (_, at) => [`field${at}`, inner])),
    required: Array.from({ length: Math.min(fields, 100) }, (_, at) => `field${at}`),
  };
}

/** Schemas that no form can show, by the name of the tool. */
export const schemas: Record<string, unknown> = {
  recursive: {
    type: 'object',
    properties: {
      self: { $ref: '#' },
      kids: { type: 'array', items: { $ref: '#' } },
      loop: { $ref: '#/$defs/loop' },
    },
    $defs: { loop: { $ref: '#/$defs/loop' } },
  },
  wide: wide(10_000),
  // Sixty fields of sixty fields of sixty fields.
  bushy: {
    ...wide(60, { $ref: '#/$defs/a' }),
    $defs: { a: wide(60, { $ref: '#/$defs/b' }), b: wide(60, { $ref: '#/$defs/c' }), c: wide(60) },
  },
  deep: deep(100),
  enums: {
    type: 'object',
    properties: {
      many: { enum: Array.from({ length: 10_000 }, (_, at) => `choice ${at}`) },
      large: { enum: [megabyte, 'small'] },
      objects: { enum: [{ a: 1 }, [2], null, 'text', { a: 1 }] },
      none: { enum: [] },
    },
  },
  bombs: {
    type: 'object',
    title: megabyte,
    properties: {
      pattern: { type: 'string', pattern: '^(a+)+$' },
      preset: { type: 'string', default: megabyte + megabyte, title: megabyte, description: megabyte },
      [megabyte]: text,
      forms: { anyOf: Array.from({ length: 5_000 }, () => text) },
      lost: { $ref: `#${'/a'.repeat(200_000)}` },
    },
  },
  // Parsed from JSON, because an object literal would set the prototype.
  prototypes: JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"object","properties":{"valueOf":{"type":"number"}}}}}',
  ),
  untrue: { type: 'object', properties: { any: true, not: false, list: { type: 'array', items: true } } },
};

const script = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=1"><image href="${outside}"/></svg>`;

function nested(levels: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}

/** Results by the name of the tool. */
export const answers: Record<string, () => object> = {
  megabytes: () => ({ content: [{ type: 'text', text: megabyte.repeat(6) }] }),
  pieces: () => ({ content: Array.from({ length: 30_000 }, (_, at) => ({ type: 'text', text: `${at}` })) }),
  nested: () => ({ content: [{ type: 'text', text: 'deep' }], structuredContent: { inner: nested(200) } }),
  markup: () => ({
    content: [
      { type: 'text', text: `${script}[x](javascript:document.title=1)![y](${outside})` },
      { type: 'text', text: drawing, mimeType: 'image/svg+xml' },
      { type: 'image', data: Buffer.from(drawing).toString('base64'), mimeType: 'image/svg+xml' },
      { type: 'image', data: Buffer.from(drawing).toString('base64'), mimeType: 'image/png' },
      { type: 'image', data: `"/><script>document.title=1</script>`, mimeType: 'image/png' },
      { type: 'image', data: 'AAAA', mimeType: `text/html,${script}` },
      { type: 'resource_link', uri: 'javascript:document.title=1', name: script },
      { type: 'resource_link', uri: `data:text/html,${script}`, name: 'data' },
      { type: 'resource_link', uri: outside, name: 'a link that nobody follows' },
      { type: 'resource', resource: { uri: outside, mimeType: 'text/html', text: script } },
      { type: 'resource', resource: { uri: outside, blob: 'AAAA', mimeType: 'text/html' } },
      { type: 'hologram', beams: [script] },
    ],
  }),
};

/** A valid MCP server that attacks the pages that show it. */
export async function startHostilePages(): Promise<{ url: string } & Target> {
  const named = {
    ...schemas,
    ...Object.fromEntries(Object.keys(answers).map((name) => [name, { type: 'object' }])),
  };
  const tools = Object.entries(named).map(([name, inputSchema]) => ({
    name,
    description: megabyte.slice(0, 20_000),
    inputSchema,
  }));
  const prompts = [
    {
      name: 'prototypes',
      arguments: [
        { name: '__proto__', required: true },
        { name: 'constructor', description: megabyte },
        { name: 'constructor' },
      ],
    },
  ];
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    const exchange = { request, response, rpc, path: '/', origin: '' };
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
    if (rpc?.id === undefined) return void response.writeHead(202).end();
    const name = rpc.params?.name ?? '';
    switch (rpc.method) {
      case 'initialize':
        return sendResult(exchange, initializeResult('2025-11-25', { tools: {}, prompts: {} }));
      case 'ping':
        return sendResult(exchange, {});
      case 'tools/list':
        return sendResult(exchange, { tools });
      case 'prompts/list':
        return sendResult(exchange, { prompts });
      case 'prompts/get':
        return sendResult(exchange, {
          messages: Array.from({ length: 10_000 }, () => ({
            role: 'user',
            content: { type: 'text', text: script },
          })),
        });
      case 'tools/call':
        return sendResult(
          exchange,
          answers[name]?.() ?? { content: [{ type: 'text', text: JSON.stringify(rpc.params) }] },
        );
      default:
        return sendError(exchange, methodNotFound);
    }
  });
  return asTarget({ url: `http://127.0.0.1:${port}/mcp` }, stop);
}
