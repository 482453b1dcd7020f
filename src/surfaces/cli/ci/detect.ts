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

type Variables = Partial<Record<Exclude<keyof Ci, 'provider'>, string | readonly string[]>>;

/** For each CI system a variable that identifies it, and the variables that hold each field, in order of preference. */
const systems: Record<string, { when: string; fields: Variables }> = {
  gitlab: {
    when: 'GITLAB_CI',
    fields: {
      pipelineId: 'CI_PIPELINE_ID',
      jobId: 'CI_JOB_ID',
      runUrl: 'CI_JOB_URL',
      branch: ['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME', 'CI_COMMIT_REF_NAME'],
      commitSha: 'CI_COMMIT_SHA',
    },
  },
  circleci: {
    when: 'CIRCLECI',
    fields: {
      pipelineId: 'CIRCLE_WORKFLOW_ID',
      jobId: 'CIRCLE_BUILD_NUM',
      runUrl: 'CIRCLE_BUILD_URL',
      branch: 'CIRCLE_BRANCH',
      commitSha: 'CIRCLE_SHA1',
    },
  },
  buildkite: {
    when: 'BUILDKITE',
    fields: {
      pipelineId: 'BUILDKITE_BUILD_ID',
      jobId: 'BUILDKITE_JOB_ID',
      runUrl: 'BUILDKITE_BUILD_URL',
      branch: 'BUILDKITE_BRANCH',
      commitSha: 'BUILDKITE_COMMIT',
    },
  },
  azure: {
    when: 'TF_BUILD',
    fields: {
      pipelineId: 'BUILD_BUILDID',
      jobId: 'SYSTEM_JOBID',
      branch: ['SYSTEM_PULLREQUEST_SOURCEBRANCH', 'BUILD_SOURCEBRANCHNAME'],
      commitSha: 'BUILD_SOURCEVERSION',
    },
  },
  bitbucket: {
    when: 'BITBUCKET_BUILD_NUMBER',
    fields: {
      pipelineId: 'BITBUCKET_BUILD_NUMBER',
      jobId: 'BITBUCKET_STEP_UUID',
      branch: 'BITBUCKET_BRANCH',
      commitSha: 'BITBUCKET_COMMIT',
    },
  },
  jenkins: {
    when: 'JENKINS_URL',
    fields: {
      pipelineId: 'BUILD_NUMBER',
      jobId: 'JOB_NAME',
      runUrl: 'BUILD_URL',
      branch: ['CHANGE_BRANCH', 'GIT_BRANCH'],
      commitSha: 'GIT_COMMIT',
    },
  },
};

/** The CI job that this process runs in, if its environment identifies one. */
export function detectCi(env: Environment): Ci | undefined {
  if (env['GITHUB_ACTIONS'] === 'true') return github(env);
  for (const [provider, { when, fields }] of Object.entries(systems)) {
    if (env[when] === undefined) continue;
    const read = (names: string | readonly string[]) =>
      [names]
        .flat()
        .map((name) => env[name])
        .find((value) => value !== undefined);
    return {
      provider,
      ...Object.fromEntries(Object.entries(fields).map(([field, names]) => [field, read(names)])),
    };
  }
  return undefined;
}

/** Headers that label a launch with its origin. */
export function launchHeaders(env: Environment): Record<string, string> {
  const ci = detectCi(env);
  const launcher = { kind: ci?.provider === 'github' ? 'github_action' : 'cli', client: 'drydock', version };
  return {
    'x-mcpjam-launcher': JSON.stringify(launcher),
    ...(ci && { 'x-mcpjam-ci': asciiJson(ci) }),
  };
}

/** JSON in ASCII, because headers hold nothing else. */
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

/** In a pull request GITHUB_SHA is a temporary merge commit; the event contains the commit that was pushed. */
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
