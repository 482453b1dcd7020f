import { ReadinessLane } from '../contract/readiness.ts';
import type { Finding, Kind, Lane, Verdict } from './check.ts';

interface LaneCoverage {
  lane: Lane;
  status: Verdict;
  evaluated: number;
  notEvaluated: number;
  notApplicable: number;
  missingInputs: string[];
}

interface StageResult {
  stage: 'technical-preflight' | 'submission-ready';
  status: Verdict;
  lanes: Lane[];
}

export interface Grade {
  overallStatus: Verdict;
  lanes: LaneCoverage[];
  stages: StageResult[];
}

/** The facts that determine which lanes a submission requires. */
export interface Submission {
  kind: Kind;
  submissionMode: 'mcp-only' | 'mcp-imported-skills' | null;
  /** A baseline of the reviewed tools is saved. */
  released: boolean;
}

type Graded = Pick<Finding, 'lane' | 'class' | 'status' | 'missingInputs'>;

/** Whether the finding counts towards the verdict of its lane. */
function decides({ class: kind, status }: Graded): boolean {
  const counts = kind === 'required' || kind === 'runtime-blocker';
  return counts && status !== 'not-applicable' && status !== 'informational';
}

/** A violation outweighs missing evidence, and a lane without any deciding finding is incomplete. */
function laneStatus(findings: readonly Graded[]): Verdict {
  const deciding = findings.filter(decides);
  if (deciding.some(({ status }) => status === 'violated')) return 'not-ready';
  if (deciding.some(({ status }) => status === 'not-evaluated')) return 'incomplete';
  return deciding.length === 0 ? 'incomplete' : 'ready';
}

function coverageOf(lane: Lane, findings: readonly Graded[]): LaneCoverage {
  const count = (...statuses: Finding['status'][]): number =>
    findings.filter(({ status }) => statuses.includes(status)).length;
  const missing = findings.flatMap(({ status, missingInputs = [] }) =>
    status === 'not-evaluated' ? missingInputs : [],
  );
  return {
    lane,
    status: laneStatus(findings),
    evaluated: count('satisfied', 'violated'),
    notEvaluated: count('not-evaluated'),
    notApplicable: count('not-applicable'),
    missingInputs: [...new Set(missing)].sort(),
  };
}

/** The verdict over the required lanes. A missing lane counts as incomplete. */
export function overall(
  required: readonly Lane[],
  lanes: readonly Pick<LaneCoverage, 'lane' | 'status'>[],
): Verdict {
  const statuses = required.map((lane) => lanes.find((one) => one.lane === lane)?.status ?? 'incomplete');
  if (statuses.includes('not-ready')) return 'not-ready';
  if (statuses.length === 0 || statuses.includes('incomplete')) return 'incomplete';
  return 'ready';
}

const technical: readonly Lane[] = ['runtime-compatibility', 'directory-policy'];

export function requiredLanes({ kind, submissionMode, released }: Submission): Lane[] {
  const lanes: Lane[] = [...technical, 'submission-artifacts'];
  if (kind === 'openai' && submissionMode === 'mcp-imported-skills') lanes.push('plugin-package');
  if (kind === 'openai' && released) lanes.push('release-contract');
  return lanes;
}

export function grade(findings: readonly Graded[], submission: Submission): Grade {
  const lanes = ReadinessLane.options
    .map((lane) => ({ lane, own: findings.filter((finding) => finding.lane === lane) }))
    .filter(({ own }) => own.length > 0)
    .map(({ lane, own }) => coverageOf(lane, own));
  const required = requiredLanes(submission);
  return {
    overallStatus: overall(required, lanes),
    lanes,
    stages: [
      { stage: 'technical-preflight', status: overall(technical, lanes), lanes: [...technical] },
      { stage: 'submission-ready', status: overall(required, lanes), lanes: required },
    ],
  };
}
