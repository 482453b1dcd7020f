import { readFileSync } from 'node:fs';
import { version } from '../../../platform/version.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Ci {
  provider: string;
  pipelineId?: string | undefined;
  jobId?: string | undefined;
  runUrl?: string | undefined;
  branch?: string | undefined;
  commitSha?: string | undefined;
}

/** What each system calls itself, its run, and the commit it works on. */
const systems: { is: (env: Environment) => boolean; read: (env: Environment) => Ci }[] = [
  { is: ({ GITHUB_ACTIONS }) => GITHUB_ACTIONS === 'true', read: github },
  {
    is: ({ GITLAB_CI }) => GITLAB_CI !== undefined,
    read: (env) => ({
      provider: 'gitlab',
      pipelineId: env['CI_PIPELINE_ID'],
      jobId: env['CI_JOB_ID'],
      runUrl: env['CI_JOB_URL'],
      branch: env['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'] ?? env['CI_COMMIT_REF_NAME'],
      commitSha: env['CI_COMMIT_SHA'],
    }),
  },
  {
    is: ({ CIRCLECI }) => CIRCLECI !== undefined,
    read: (env) => ({
      provider: 'circleci',
      pipelineId: env['CIRCLE_WORKFLOW_ID'],
      jobId: env['CIRCLE_BUILD_NUM'],
      runUrl: env['CIRCLE_BUILD_URL'],
      branch: env['CIRCLE_BRANCH'],
      commitSha: env['CIRCLE_SHA1'],
    }),
  },
  {
    is: ({ BUILDKITE }) => BUILDKITE !== undefined,
    read: (env) => ({
      provider: 'buildkite',
      pipelineId: env['BUILDKITE_BUILD_ID'],
      jobId: env['BUILDKITE_JOB_ID'],
      runUrl: env['BUILDKITE_BUILD_URL'],
      branch: env['BUILDKITE_BRANCH'],
      commitSha: env['BUILDKITE_COMMIT'],
    }),
  },
  {
    is: ({ TF_BUILD }) => TF_BUILD !== undefined,
    read: (env) => ({
      provider: 'azure',
      pipelineId: env['BUILD_BUILDID'],
      jobId: env['SYSTEM_JOBID'],
      branch: env['SYSTEM_PULLREQUEST_SOURCEBRANCH'] ?? env['BUILD_SOURCEBRANCHNAME'],
      commitSha: env['BUILD_SOURCEVERSION'],
    }),
  },
  {
    is: ({ BITBUCKET_BUILD_NUMBER }) => BITBUCKET_BUILD_NUMBER !== undefined,
    read: (env) => ({
      provider: 'bitbucket',
      pipelineId: env['BITBUCKET_BUILD_NUMBER'],
      jobId: env['BITBUCKET_STEP_UUID'],
      branch: env['BITBUCKET_BRANCH'],
      commitSha: env['BITBUCKET_COMMIT'],
    }),
  },
  {
    is: ({ JENKINS_URL }) => JENKINS_URL !== undefined,
    read: (env) => ({
      provider: 'jenkins',
      pipelineId: env['BUILD_NUMBER'],
      jobId: env['JOB_NAME'],
      runUrl: env['BUILD_URL'],
      branch: env['CHANGE_BRANCH'] ?? env['GIT_BRANCH'],
      commitSha: env['GIT_COMMIT'],
    }),
  },
];

/** Where this runs, by what the system says of itself; undefined where that is nothing known. */
export function detectCi(env: Environment): Ci | undefined {
  return systems.find(({ is }) => is(env))?.read(env);
}

/** The labels of a launch. They decide nothing. */
export function launchHeaders(env: Environment): Record<string, string> {
  const ci = detectCi(env);
  const launcher = { kind: ci?.provider === 'github' ? 'github_action' : 'cli', client: 'drydock', version };
  return {
    'x-mcpjam-launcher': JSON.stringify(launcher),
    ...(ci && { 'x-mcpjam-ci': asciiJson(ci) }),
  };
}

/** A header holds nothing else. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function github(env: Environment): Ci {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  return {
    provider: 'github',
    pipelineId: run,
    jobId: env['GITHUB_JOB'],
    ...(server && repository && run && { runUrl: `${server}/${repository}/actions/runs/${run}` }),
    branch: env['GITHUB_HEAD_REF'] || env['GITHUB_REF_NAME'],
    commitSha: pullRequestHead(env['GITHUB_EVENT_PATH']) ?? env['GITHUB_SHA'],
  };
}

/** In a pull request GITHUB_SHA is a merge that nobody else knows; the event has the commit that was pushed. */
function pullRequestHead(eventPath: string | undefined): string | undefined {
  if (!eventPath) return undefined;
  try {
    const event = JSON.parse(readFileSync(eventPath, 'utf8')) as {
      pull_request?: { head?: { sha?: unknown } };
    };
    const sha = event.pull_request?.head?.sha;
    return typeof sha === 'string' ? sha : undefined;
  } catch {
    return undefined;
  }
}
