import { agentcore } from './agentcore.ts';
import { chatgpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import { claudeCode } from './claude-code.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { drydock } from './drydock.ts';
import { goose } from './goose.ts';
import { mcpjam } from './mcpjam.ts';
import { mistral } from './mistral.ts';
import { n8n } from './n8n.ts';
import { notion } from './notion.ts';
import { perplexity } from './perplexity.ts';
import { slack } from './slack.ts';
import type { ClientTemplate } from './template.ts';
import { vscode } from './vscode.ts';

/** Known MCP clients, one file each. */
export const clientTemplates: readonly ClientTemplate[] = [
  drydock,
  mcpjam,
  claude,
  claudeCode,
  chatgpt,
  mistral,
  goose,
  slack,
  cursor,
  codex,
  copilot,
  vscode,
  agentcore,
  n8n,
  perplexity,
  cline,
  notion,
];
