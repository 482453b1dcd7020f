import type { Check, Kind } from './check.ts';
import { claudeChecks } from './checks/claude/index.ts';
import { openaiChecks } from './checks/openai/index.ts';

export type { Capability, Finding } from './check.ts';
export { engineVersion, evaluate, policySnapshotDate } from './engine.ts';
export { type Grade, grade } from './grade.ts';
export { type ToolFacts, toolFacts } from './tool-facts.ts';

export const checksOf: Record<Kind, readonly Check[]> = { claude: claudeChecks, openai: openaiChecks };
