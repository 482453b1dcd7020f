/** The server that the suite's scenarios ask for by name; answered by the code that serves agents. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

type Result<Complete> = Complete | InputRequiredResult | Promise<Complete | InputRequiredResult>;

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const state = createRequestStateCodec<{ step: number }>({ key: randomBytes(32) });

const text = (said: string): CallToolResult => ({ content: [{ type: 'text', text: said }] });
const ask = (message: string, field: string, type: 'string' | 'boolean' = 'string'): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [field]: type === 'string' ? { type } : { type } },
      required: [field],
    },
  });
const sample = (said: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: said } }],
    maxTokens: 100,
  });

const image = { type: 'image' as const, data: pixel, mimeType: 'image/png' };

/** The client capabilities of the request. */
function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}

/** Asks until every question has an answer. */
async function asking(
  { mcpReq }: ServerContext,
  questions: InputRequests,
  done: (answers: Record<string, unknown>) => CallToolResult,
  requestState?: string,
): Promise<CallToolResult | InputRequiredResult> {
  const answers = mcpReq.inputResponses ?? {};
  const missing = Object.entries(questions).filter(([name, { method }]) =>
    method === 'elicitation/create' ? !acceptedContent(answers, name) : !(name in answers),
  );
  if (missing.length === 0) return done(answers);
  return inputRequired({ inputRequests: questions, ...(requestState !== undefined && { requestState }) });
}

const tools: Record<string, (context: ServerContext) => Result<CallToolResult>> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }),
  test_error_handling: () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: said } });
      await delay(50);
    }
    return text('Logged.');
  },
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'logged');
    return text('Logged.');
  },
  test_tool_with_progress: async ({ mcpReq }) => {
    const { _meta: meta } = mcpReq;
    for (const progress of [0, 50, 100]) {
      if (meta?.progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: meta.progressToken, progress, total: 100 },
        });
      await delay(50);
    }
    return text('Done.');
  },
  test_missing_capability: (context) => {
    if (!capabilitiesOf(context).sampling)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return text('The client can sample.');
  },
  test_streaming_elicitation: async (context) => {
    const { _meta: meta, notify } = context.mcpReq;
    const progressToken = meta?.progressToken ?? 'none';
    await notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    return asking(context, { user_name: ask('What is your name?', 'name') }, () => text('Done.'));
  },
  test_input_required_result_elicitation: (context) =>
    asking(context, { user_name: ask('What is your name?', 'name') }, (answers) =>
      text(`Hello, ${String(acceptedContent(answers, 'user_name')?.['name'])}!`),
    ),
  test_input_required_result_sampling: (context) =>
    asking(context, { capital_question: sample('What is the capital of France?') }, (answers) =>
      text(JSON.stringify(answers['capital_question'])),
    ),
  test_input_required_result_list_roots: (context) =>
    asking(context, { client_roots: inputRequired.listRoots() }, (answers) =>
      text(JSON.stringify(answers['client_roots'])),
    ),
  test_input_required_result_request_state: async (context) =>
    asking(
      context,
      { confirm: ask('Please confirm', 'ok', 'boolean') },
      () => text(context.mcpReq.requestState() === undefined ? 'no state' : 'state-ok'),
      await state.mint({ step: 1 }),
    ),
  test_input_required_result_tampered_state: async (context) =>
    asking(
      context,
      { confirm: ask('Please confirm', 'ok', 'boolean') },
      () => text('state-ok'),
      await state.mint({ step: 1 }),
    ),
  test_input_required_result_multiple_inputs: async (context) =>
    asking(
      context,
      {
        user_name: ask('What is your name?', 'name'),
        greeting: sample('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      () => text('All there.'),
      await state.mint({ step: 1 }),
    ),
  test_input_required_result_multi_round: async (context) => {
    const { step } = context.mcpReq.requestState<{ step: number }>() ?? { step: 0 };
    if (step < 2 && !(step === 1 && acceptedContent(context.mcpReq.inputResponses, 'step1')))
      return inputRequired({
        inputRequests: { step1: ask('Step 1: What is your name?', 'name') },
        requestState: await state.mint({ step: 1 }),
      });
    return asking(
      context,
      { step2: ask('Step 2: What is your favorite color?', 'color') },
      () => text('Both steps done.'),
      await state.mint({ step: 2 }),
    );
  },
  test_input_required_result_capabilities: (context) => {
    const capabilities = capabilitiesOf(context);
    return asking(
      context,
      {
        ...(capabilities.sampling && { greeting: sample('Generate a greeting') }),
        ...(capabilities.elicitation && { user_name: ask('What is your name?', 'name') }),
      },
      () => text('Done.'),
    );
  },
};

const said = (...content: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: content.map((each) => ({ role: 'user', content: each })),
});

const prompts: Record<
  string,
  { takes: string[]; get: (given: Record<string, string>, context: ServerContext) => Result<GetPromptResult> }
> = {
  test_simple_prompt: {
    takes: [],
    get: () => said({ type: 'text', text: 'This is a simple prompt for testing.' }),
  },
  test_prompt_with_arguments: {
    takes: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) =>
      said({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  },
  test_prompt_with_embedded_resource: {
    takes: ['resourceUri'],
    get: ({ resourceUri = '' }) =>
      said(
        {
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
        { type: 'text', text: 'Please process the embedded resource above.' },
      ),
  },
  test_prompt_with_image: {
    takes: [],
    get: () => said(image, { type: 'text', text: 'Please analyze the image above.' }),
  },
  test_input_required_result_prompt: {
    takes: [],
    get: (_, { mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, 'user_context');
      if (answer) return said({ type: 'text', text: String(answer['context']) });
      return inputRequired({
        inputRequests: { user_context: ask('What context should the prompt use?', 'context') },
      });
    },
  },
};

const resources: Record<string, { mimeType: string; text: string } | { mimeType: string; blob: string }> = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: pixel },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched.' },
};

export function createFixture(): Server {
  const server = new Server(
    { name: 'drydock-conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: {},
        prompts: {},
        resources: { subscribe: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: (echoed, context) => state.verify(echoed, context) },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `The suite asks for ${name}.`,
      inputSchema: { type: 'object' },
    })),
  }));
  server.setRequestHandler('tools/call', ({ params }, context) => found(tools, params.name)(context));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { takes }]) => ({
      name,
      description: `The suite asks for ${name}.`,
      arguments: takes.map((argument) => ({ name: argument, description: argument, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    found(prompts, params.name).get(params.arguments ?? {}, context),
  );
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({
      uri,
      name: uri,
      description: `The suite reads ${uri}.`,
      mimeType,
    })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
    if (id !== undefined) {
      const filled = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: 'application/json', text: filled }] };
    }
    const resource = Object.hasOwn(resources, uri) ? resources[uri] : undefined;
    if (!resource) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, ...resource }] };
  });
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }));
  return server;
}

function found<T>(table: Record<string, T>, name: string): T {
  if (Object.hasOwn(table, name)) return table[name] as T;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${name}`);
}
