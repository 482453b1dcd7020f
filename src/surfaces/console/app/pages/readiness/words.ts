import type { Output } from '../../../../client/index.ts';
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
  'technical-preflight': 'Technical part',
  'submission-ready': 'Submission as a whole',
};

export const marks: Record<Finding['status'], { state: State; word: string }> = {
  violated: { state: 'failed', word: 'broken' },
  'not-evaluated': { state: 'notMeasured', word: 'not looked at' },
  informational: { state: 'pending', word: 'for your information' },
  satisfied: { state: 'passed', word: 'kept' },
  'not-applicable': { state: 'skipped', word: 'does not apply' },
};

export const weights: Record<Finding['class'], string> = {
  required: 'required',
  'runtime-blocker': 'required to work',
  recommended: 'recommended',
  'experimental-feature': 'experimental',
  'manual-review': 'a reviewer decides',
  heuristic: 'a hint',
};

export const seenOn: Record<Finding['provenance'], string> = {
  wire: 'seen on the wire',
  browser: 'seen in a browser',
  static: 'seen in the metadata',
  declared: 'declared',
  manual: 'for a reviewer',
  llm: 'noticed by a model',
};

const inputs: Record<string, string> = {
  credentials: 'credentials of the server',
  review: 'the eyes of a reviewer',
  'mcp-session': 'a session with the server',
  'oauth-discovery': 'its OAuth metadata',
  'declared-inputs': 'what only people know',
  'side-effects': 'leave to have side effects',
  browser: 'a browser',
};

/** What would let something be looked at, in words. */
export function inputWords(input: string): string {
  if (!input.startsWith('declared.')) return Object.hasOwn(inputs, input) ? (inputs[input] as string) : input;
  const name = input.slice('declared.'.length);
  const label = fieldOf(name)?.label ?? name;
  return `${label.slice(0, 1).toLowerCase()}${label.slice(1)}`;
}

export function isOpen({ status }: Pick<ReadinessRun, 'status'>): boolean {
  return status === 'pending' || status === 'running';
}

/** How a run stands: what it says of the server once it is completed, until then how far it is. */
export function stateOf({ status, overallStatus }: Pick<ReadinessRun, 'status' | 'overallStatus'>): {
  state: State;
  word: string;
} {
  if (overallStatus !== null) return verdicts[overallStatus];
  if (status === 'pending') return { state: 'pending', word: 'waiting' };
  if (status === 'running') return { state: 'running', word: 'running' };
  if (status === 'cancelled') return { state: 'cancelled', word: 'cancelled' };
  return { state: 'setupFailed', word: 'came to nothing' };
}
