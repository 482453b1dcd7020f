import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { named } from '../../platform/quoted.ts';

interface Written {
  title: string;
  description: string;
  required: readonly string[];
  optional: readonly string[];
  /** The text of the prompt. The given values are quoted already. */
  text: (given: Record<string, string>) => string;
}

const within = (project: string | undefined): string =>
  project === undefined ? '' : ` in project ${project}`;

const meanings: Record<string, string> = {
  server: 'Name or ID of the server.',
  suite: 'Name or ID of the eval suite.',
  project: 'Name or ID of the project (default: the Default project).',
  run: 'ID of the run (default: the latest of the suite).',
  commit: 'Commit to be deployed.',
  goal: 'Goal that the cases should cover.',
};

const prompts: Record<string, Written> = {
  diagnose_server: {
    title: 'Diagnose a server',
    description: 'Find out why a server does not work and how to fix it.',
    required: ['server'],
    optional: ['project'],
    text: ({ server, project }) =>
      `Diagnose server ${server}${within(project)} with diagnose_server. If a check failed, explain what is wrong, why, and the next step. If all checks passed, list its tools and point out those that are poorly described or have no schema.`,
  },
  explain_failing_run: {
    title: 'Explain a failing run',
    description: 'Explain which cases of a run fail, why, and how to fix them.',
    required: ['suite'],
    optional: ['run', 'project'],
    text: ({ suite, run, project }) =>
      `Explain ${run === undefined ? 'the last run' : `run ${run}`} of suite ${suite}${within(project)}. Use explain_run, then read_trial for a failing trial of each case that failed. For each, state what the model did, what was expected, whether the server, the case or the model is the cause, and what to change. Compare with the previous run (compare_run) and state whether anything is new or within chance.`,
  },
  safe_to_deploy: {
    title: 'Is it safe to deploy?',
    description: 'Decide from evals and the contract whether a commit of a server can be deployed.',
    required: ['suite', 'server'],
    optional: ['commit', 'project'],
    text: ({ suite, server, commit, project }) =>
      `Say whether it is safe to deploy ${commit === undefined ? 'the current version' : `commit ${commit}`} of server ${server}${within(project)}. Check its contract (check_server_contract), find the run of suite ${suite} for it (list_runs), or ask me before you start one, because runs spend credits. Explain the run (explain_run) and compare it with the baseline (compare_run). Answer yes, no or not enough evidence, with the figures that decide.`,
  },
  write_cases: {
    title: 'Write cases for a server',
    description: "Draft eval cases from the descriptions of a server's tools.",
    required: ['server', 'suite'],
    optional: ['goal', 'project'],
    text: ({ server, suite, goal, project }) =>
      `Write eval cases for server ${server}${within(project)} in suite ${suite}${goal === undefined ? '' : `, to cover ${goal}`}. Read its tools (list_server_tools), try some (call_server_tool) with my consent, and read the cases that exist (read_operation listEvalCases). See describe_operation createEvalCases for the form. Show me the cases before you add them with write_operation.`,
  },
};

export const promptList: Prompt[] = Object.entries(prompts).map(
  ([name, { title, description, required, optional }]) => ({
    name,
    title,
    description,
    arguments: [
      ...required.map((argument) => ({
        name: argument,
        description: meanings[argument] ?? '',
        required: true,
      })),
      ...optional.map((argument) => ({
        name: argument,
        description: meanings[argument] ?? '',
        required: false,
      })),
    ],
  }),
);

export function promptNamed(name: string, given: Record<string, string>): GetPromptResult {
  const prompt = Object.hasOwn(prompts, name) ? prompts[name] : undefined;
  if (!prompt) throw wrong(`No prompt ${named(name)}. Available: ${Object.keys(prompts).join(', ')}`);
  const missing = prompt.required.find((argument) => !given[argument]);
  if (missing !== undefined) throw wrong(`${missing}: Required`);
  const values = Object.fromEntries(
    Object.entries(given).flatMap(([argument, value]) =>
      value === '' ? [] : [[argument, named(value, 300)]],
    ),
  );
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(values) } }],
  };
}

function wrong(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
