import type { Output } from '../../api/index.ts';
import type { State } from '../../kit/state.tsx';
import { fieldOf } from './declared-fields.ts';

export type ReadinessRun = Output<'getReadinessRun'>;
export type Report = Output<'getReadinessReport'>;
export type Finding = Report['findings'][number];
export type Lane = Finding['lane'];
export type Directory = ReadinessRun['readinessKind'];
type Verdict = Report['overallStatus'];

export const directories: Record<Directory, string> = {
  claude: 'Claude connectors',
  openai: 'OpenAI plugins',
};

export const lanes: Record<Lane, string> = {
  'runtime-compatibility': 'Runtime compatibility',
  'directory-policy': 'Directory policy',
  'optional-features': 'Optional features',
  'submission-artifacts': 'Submission',
  'experience-insights': 'Experience',
  'plugin-package': 'Plugin package',
  'release-contract': 'Release contract',
};

export const verdicts: Record<Verdict, { state: State; word: string }> = {
  ready: { state: 'passed', word: 'ready' },
  'not-ready': { state: 'failed', word: 'not ready' },
  incomplete: { state: 'notEstablished', word: 'incomplete' },
};

export const stages: Record<Report['stages'][number]['stage'], string> = {
  'technical-preflight': 'Technical',
  'submission-ready': 'Submission',
};

export const marks: Record<Finding['status'], { state: State; word: string }> = {
  violated: { state: 'failed', word: 'broken' },
  'not-evaluated': { state: 'notMeasured', word: 'not checked' },
  informational: { state: 'pending', word: 'informational' },
  satisfied: { state: 'passed', word: 'met' },
  'not-applicable': { state: 'skipped', word: 'does not apply' },
};

export const weights: Record<Finding['class'], string> = {
  required: 'required',
  'runtime-blocker': 'required to work',
  recommended: 'recommended',
  'experimental-feature': 'experimental',
  'manual-review': 'manual review',
  heuristic: 'a hint',
};

export const seenOn: Record<Finding['provenance'], string> = {
  wire: 'from traffic',
  browser: 'from the browser',
  static: 'from metadata',
  declared: 'declared',
  manual: 'for a reviewer',
  llm: 'from a model',
};

const inputs: Record<string, string> = {
  credentials: 'server credentials',
  review: 'a reviewer',
  'mcp-session': 'an MCP session',
  'oauth-discovery': 'OAuth metadata',
  'declared-inputs': 'declarations',
  'side-effects': '“Allow side effects” turned on',
  browser: 'a browser',
};

export function inputText(input: string): string {
  if (!input.startsWith('declared.')) return Object.hasOwn(inputs, input) ? (inputs[input] as string) : input;
  const name = input.slice('declared.'.length);
  const label = fieldOf(name)?.label ?? name;
  return `${label.slice(0, 1).toLowerCase()}${label.slice(1)}`;
}

export function isOpen({ status }: Pick<ReadinessRun, 'status'>): boolean {
  return status === 'pending' || status === 'running';
}

/** State of a run: its verdict once completed, its progress until then. */
export function stateOf({ status, overallStatus }: Pick<ReadinessRun, 'status' | 'overallStatus'>): {
  state: State;
  word: string;
} {
  if (overallStatus !== null) return verdicts[overallStatus];
  if (status === 'pending') return { state: 'pending', word: 'waiting' };
  if (status === 'running') return { state: 'running', word: 'running' };
  if (status === 'cancelled') return { state: 'cancelled', word: 'cancelled' };
  return { state: 'setupFailed', word: 'failed' };
}
