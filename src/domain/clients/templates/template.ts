/** How a known MCP client behaves, as far as it shows on the wire. */
export interface ClientTemplate {
  id: string;
  label: string;
  modelId: string;
  temperature: number;
  /** How it behaves, in a sentence. */
  about: string;
  systemPrompt?: string;
  /** MCP client capabilities it is known to declare, besides those that follow from `apps`; none if left out. */
  clientCapabilities?: Record<string, unknown>;
  /** Tools it offers the model at most. */
  toolLimit?: number;
  /** What it calls itself when it connects. */
  clientInfo: { name: string; version: string };
  supportedProtocolVersions: string[];
  /** `auto`: takes what the server offers instead of insisting on the newest it knows. */
  protocolVersion?: 'auto';
  /** Renders MCP Apps; left out by those that show text only. */
  apps?: {
    /** What it tells an app about the place it is shown in. */
    platform: 'web' | 'desktop' | 'mobile';
    /** The first is the one an app starts in. */
    displayModes: [DisplayMode, ...DisplayMode[]];
    /** Also gives widgets written for the OpenAI Apps SDK their `window.openai`. */
    openaiApps?: true;
  };
  /** Shows the model a few tools at first and more on demand. */
  progressiveToolDiscovery?: true;
  /** False: offers the model tools that are marked for the app only. */
  respectToolVisibility?: false;
  /** Gives the model a machine to work on. */
  computer?: { kind: 'personal' };
  /** Runs inside a coding harness of this name. */
  harness?: 'claude-code' | 'codex';
}

type DisplayMode = 'inline' | 'fullscreen' | 'pip';
