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
