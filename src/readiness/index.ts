import { type Check, checksIn, type Kind } from './check.ts';
import { authorizationRules } from './checks/authorization.ts';
import { endpointRules } from './checks/endpoint.ts';
import { featureRules } from './checks/features.ts';
import { interfaceRules } from './checks/interfaces.ts';
import { pluginPackageRules } from './checks/plugin-package.ts';
import { submissionRules } from './checks/submission.ts';
import { toolRules } from './checks/tools.ts';

export type { Capability, Finding } from './check.ts';
export { engineVersion, evaluate, policySnapshotDate } from './engine.ts';
export { type Grade, grade } from './grade.ts';
export { type ToolFacts, toolFacts } from './tool-facts.ts';

const rules = [
  ...endpointRules,
  ...authorizationRules,
  ...toolRules,
  ...interfaceRules,
  ...pluginPackageRules,
  ...submissionRules,
  ...featureRules,
];

export const checksOf: Record<Kind, readonly Check[]> = {
  claude: checksIn('claude', rules),
  openai: checksIn('openai', rules),
};
