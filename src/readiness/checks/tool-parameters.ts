import { listing, noTool, type Rule } from '../check.ts';
import type { ToolFacts } from '../tool-facts.ts';

const policy = {
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
} as const;

export const toolParameterRules: readonly Rule[] = [
  {
    ...policy,
    title: 'Reading and writing are separate tools',
    remediation: 'Split the tool into one that reads and one that writes.',
    claude: listing('tools.no-catch-all-read-write', 'Connectors: review criteria', 'Tool design'),
    evaluate: (evidence) =>
      noTool(evidence, mixesReadsAndWrites, 'A parameter chooses between reading and writing'),
  },
  {
    ...policy,
    title: 'No tool takes an arbitrary operation',
    class: 'heuristic',
    remediation: 'Make each operation a tool, or limit the parameter with `enum`.',
    claude: listing('tools.free-string-operation-parameter', 'Connectors: review criteria', 'Tool design'),
    evaluate: (evidence) => noTool(evidence, takesAnyOperation, 'A parameter accepts any operation'),
  },
  {
    ...policy,
    title: 'Tools that forward requests name the API',
    class: 'heuristic',
    remediation: 'Name the API in the description, or link to its documentation.',
    claude: listing('tools.free-form-names-api', 'Connectors: review criteria', 'Tool design'),
    evaluate: (evidence) =>
      noTool(evidence, forwardsToUnnamedApi, 'The tool forwards requests and does not name the API'),
  },
  {
    ...policy,
    title: 'No tool asks for credentials, card numbers or health records',
    remediation:
      'Remove the parameter. Sign people in with OAuth, and take payments outside the conversation.',
    openai: listing('tools.no-sensitive-inputs', 'Plugins: app guidelines', 'Privacy'),
    evaluate: (evidence) => noTool(evidence, asksForSecrets, 'A parameter asks for sensitive data'),
  },
];

const operationParameters = /^(?:action|command|httpmethod|method|op|operation|operationtype|verb)$/;
const reads = /^(?:describe|fetch|find|get|head|list|query|read|search|show|view)$/;
const writes = /^(?:add|create|delete|drop|edit|insert|patch|post|put|remove|send|set|update|write)$/;

function operationOf({ parameters }: ToolFacts): ToolFacts['parameters'][number] | undefined {
  return parameters.find(({ name }) =>
    operationParameters.test(name.toLowerCase().replaceAll(/[^a-z.]/g, '')),
  );
}

function mixesReadsAndWrites(tool: ToolFacts): boolean {
  const verbs = (operationOf(tool)?.choices ?? []).map(firstWord);
  return verbs.some((verb) => reads.test(verb)) && verbs.some((verb) => writes.test(verb));
}

function firstWord(choice: string): string {
  return (/^[A-Z]+$/.test(choice) ? choice : (/^[A-Za-z][a-z]*/.exec(choice)?.[0] ?? '')).toLowerCase();
}

function takesAnyOperation(tool: ToolFacts): boolean {
  const parameter = operationOf(tool);
  return parameter !== undefined && parameter.choices === undefined && /^$|string/.test(parameter.type);
}

const forwarded = /^(?:endpoint|graphql|path|sql|url)$/i;

function forwardsToUnnamedApi({ parameters, description }: ToolFacts): boolean {
  const open = parameters.some(({ name, choices }) => forwarded.test(name) && choices === undefined);
  return open && !/\bAPI\b|https?:\/\//.test(description);
}

/** Matched against the last part of a parameter's name in snake case. */
const sensitive =
  /(?:^|_)(?:api_?key|access_?token|card_?(?:number|cvc|cvv)|credit_?card|cvc|cvv|iban|medical_record|mrn|passcode|passwd|password|patient_id|pin_code|private_?key|social_?security(?:_number)?|ssn)(?:$|_)/;

function asksForSecrets({ parameters }: ToolFacts): boolean {
  return parameters.some(({ name }) =>
    sensitive.test(
      name
        .slice(name.lastIndexOf('.') + 1)
        .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
        .replaceAll('-', '_')
        .toLowerCase(),
    ),
  );
}
