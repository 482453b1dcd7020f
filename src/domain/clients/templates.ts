import { version } from '../../platform/version.ts';

/** Observable behavior of a known MCP client. */
export interface ClientTemplate {
  id: string;
  label: string;
  modelId: string;
  temperature: number;
  /** One-sentence description. */
  about: string;
  systemPrompt?: string;
  /** MCP client capabilities it declares, besides those that follow from `apps`; default none. */
  clientCapabilities?: Record<string, unknown>;
  /** Maximum number of tools the client offers to the model. */
  toolLimit?: number;
  /** Name and version it sends when connecting. */
  clientInfo: { name: string; version: string };
  supportedProtocolVersions: string[];
  /** `auto`: accepts the server's protocol version instead of requiring the newest it supports. */
  protocolVersion?: 'auto';
  /** Renders MCP Apps; omitted for text-only clients. */
  apps?: {
    /** Host context it sends to an app. */
    platform: 'web' | 'desktop' | 'mobile';
    /** The first is the initial one. */
    displayModes: [DisplayMode, ...DisplayMode[]];
    /** Also provides `window.openai` for widgets of the OpenAI Apps SDK. */
    openaiApps?: true;
  };
  /** Shows the model a few tools at first and more on demand. */
  progressiveToolDiscovery?: true;
  /** False: also offers the model tools marked as app-only. */
  respectToolVisibility?: false;
  /** Gives the model a computer to work on. */
  computer?: { kind: 'personal' };
  /** Runs inside this coding harness. */
  harness?: 'claude-code' | 'codex';
}

type DisplayMode = 'inline' | 'fullscreen' | 'pip';

/** Known MCP clients. */
export const clientTemplates: readonly ClientTemplate[] = [
  {
    id: 'drydock',
    label: 'Drydock',
    about:
      'Our own: no product in particular, every revision, no limits, a plain prompt. For tests of the server alone.',
    modelId: 'anthropic/claude-haiku-4.5',
    temperature: 0,
    systemPrompt: 'Use the tools to do what the user asks. Say plainly when a tool fails.',
    clientInfo: { name: 'drydock', version },
    supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
    protocolVersion: 'auto',
  },
  {
    id: 'mcpjam',
    label: 'MCPJam',
    about:
      "A developer's inspector with a chat: newest revision, renders apps, also those written for the OpenAI SDK.",
    modelId: 'anthropic/claude-haiku-4.5',
    temperature: 0.7,
    clientInfo: { name: 'mcpjam', version: '1.0.0' },
    clientCapabilities: { elicitation: {}, sampling: {} },
    supportedProtocolVersions: ['2025-11-25'],
    apps: { platform: 'web', displayModes: ['inline', 'fullscreen', 'pip'], openaiApps: true },
  },
  {
    id: 'claude',
    label: 'Claude',
    about:
      'Claude on the web and desktop: takes the revision the server offers, renders apps, asks for approval of tools in its own interface.',
    modelId: 'anthropic/claude-haiku-4.5',
    temperature: 1,
    clientInfo: { name: 'claude-ai', version: '0.1.0' },
    supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25'],
    protocolVersion: 'auto',
    apps: { platform: 'web', displayModes: ['inline', 'fullscreen'] },
  },
  {
    id: 'claude-code',
    label: 'Claude Code',
    about: 'Claude in a terminal: runs tools inside a coding harness in its own sandbox.',
    modelId: 'anthropic/claude-haiku-4.5',
    temperature: 1,
    clientInfo: { name: 'claude-code', version: '2.1.237' },
    clientCapabilities: { roots: {} },
    supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25'],
    computer: { kind: 'personal' },
    harness: 'claude-code',
  },
  {
    id: 'chatgpt',
    label: 'ChatGPT',
    about: 'ChatGPT: takes the revision the server offers, renders apps.',
    modelId: 'openai/gpt-5-nano',
    temperature: 0.7,
    clientInfo: { name: 'openai-mcp', version: '1.0.0' },
    supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25'],
    protocolVersion: 'auto',
    apps: { platform: 'web', displayModes: ['inline', 'fullscreen', 'pip'], openaiApps: true },
  },
  {
    id: 'mistral',
    label: 'Mistral Le Chat',
    about: 'Le Chat: newest handshake revision, tools only.',
    modelId: 'mistralai/mistral-large-2512',
    temperature: 0.7,
    clientInfo: { name: 'mcp', version: '0.1.0' },
    supportedProtocolVersions: ['2025-11-25'],
  },
  {
    id: 'goose',
    label: 'Goose',
    about: 'Goose on the desktop: an older revision, shows the model tools step by step, renders apps.',
    modelId: 'openai/gpt-5-nano',
    temperature: 0.7,
    clientInfo: { name: 'goose-desktop', version: '1.38.0' },
    clientCapabilities: { sampling: {}, elicitation: {} },
    supportedProtocolVersions: ['2025-03-26'],
    progressiveToolDiscovery: true,
    apps: { platform: 'desktop', displayModes: ['inline', 'fullscreen'] },
  },
  {
    id: 'slack',
    label: 'Slack',
    about: "Slack's bot: tools only, one revision behind.",
    modelId: 'openai/gpt-5-nano',
    temperature: 0.7,
    clientInfo: { name: 'Slackbot MCP Client', version: '1.0.0' },
    supportedProtocolVersions: ['2025-06-18'],
  },
  {
    id: 'cursor',
    label: 'Cursor',
    about: 'The Cursor editor: offers the model every tool, including app-only tools; renders apps.',
    modelId: 'anthropic/claude-sonnet-4.5',
    temperature: 0.7,
    clientInfo: { name: 'cursor-vscode', version: '1.0.0' },
    clientCapabilities: { roots: {}, elicitation: {} },
    supportedProtocolVersions: ['2025-11-25'],
    respectToolVisibility: false,
    apps: { platform: 'desktop', displayModes: ['inline'] },
  },
  {
    id: 'codex',
    label: 'Codex',
    about: 'Codex: runs tools inside a coding harness, renders apps.',
    modelId: 'openai/gpt-5-nano',
    temperature: 0.7,
    clientInfo: { name: 'codex-mcp-client', version: '0.148.0-alpha.15' },
    supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25'],
    apps: { platform: 'desktop', displayModes: ['inline', 'fullscreen'], openaiApps: true },
    harness: 'codex',
  },
  {
    id: 'copilot',
    label: 'Microsoft Copilot',
    about: 'Microsoft Copilot: newest handshake revision, renders apps.',
    modelId: 'openai/gpt-5.3-chat',
    temperature: 0.7,
    clientInfo: { name: 'ms-copilot', version: '1.0.1' },
    supportedProtocolVersions: ['2025-11-25'],
    apps: { platform: 'web', displayModes: ['inline', 'fullscreen'], openaiApps: true },
  },
  {
    id: 'vscode',
    label: 'Visual Studio Code',
    about:
      'Visual Studio Code: offers the model every tool, including app-only tools, up to 128 at once; renders apps.',
    modelId: 'anthropic/claude-sonnet-4.5',
    toolLimit: 128,
    temperature: 0.7,
    clientInfo: { name: 'Visual Studio Code', version: '1.130.0' },
    clientCapabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
    supportedProtocolVersions: ['2025-11-25'],
    respectToolVisibility: false,
    apps: { platform: 'desktop', displayModes: ['inline'] },
  },
  {
    id: 'agentcore',
    label: 'Amazon Bedrock AgentCore',
    about: 'Bedrock AgentCore: a gateway in front of agents, one revision behind.',
    modelId: 'anthropic/claude-haiku-4.5',
    temperature: 0.7,
    clientInfo: { name: 'bedrock-agentcore', version: '1.0.0' },
    supportedProtocolVersions: ['2025-06-18'],
  },
  {
    id: 'n8n',
    label: 'n8n',
    about: 'The MCP node of n8n: tools as steps of a workflow.',
    modelId: 'openai/gpt-5-nano',
    temperature: 0.7,
    clientInfo: { name: '@n8n/n8n-nodes-langchain.mcpClientTool', version: '1.3' },
    supportedProtocolVersions: ['2025-11-25'],
  },
  {
    id: 'perplexity',
    label: 'Perplexity',
    about: 'Perplexity: tools only, one revision behind.',
    modelId: 'openai/gpt-5-nano',
    temperature: 0.7,
    clientInfo: { name: 'perplexity', version: '1.0.0' },
    supportedProtocolVersions: ['2025-06-18'],
  },
  {
    id: 'cline',
    label: 'Cline',
    about: 'Cline in the editor: requires approval for every call.',
    modelId: 'anthropic/claude-haiku-4.5',
    temperature: 1,
    clientInfo: { name: 'Cline', version: '3.89.2' },
    supportedProtocolVersions: ['2025-11-25'],
  },
  {
    id: 'notion',
    label: 'Notion',
    about: "Notion's assistant: tools only.",
    modelId: 'anthropic/claude-haiku-4.5',
    temperature: 1,
    clientInfo: { name: 'notion', version: '1.0.0' },
    supportedProtocolVersions: ['2025-11-25'],
  },
];
