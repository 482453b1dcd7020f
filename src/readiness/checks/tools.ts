import {
  ifKnown,
  listing,
  noneOf,
  noTool,
  notApplicable,
  type Rule,
  satisfied,
  toolLabel,
  violated,
} from '../check.ts';
import type { ToolFacts } from '../tool-facts.ts';
import { toolParameterRules } from './tool-parameters.ts';

const criteria = 'Connectors: review criteria';
const plugins = 'Plugins: tools';

const policy = {
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
} as const;
const optional = { ...policy, lane: 'optional-features', class: 'recommended' } as const;

const maxNameLength = 64;
const longDescription = 1_000;
const manyTools = 40;

/** Phrases that give orders to the model. */
const orders =
  /\bignore (?:all |any |the )?(?:previous|prior|other|above)\b|\byou must (?:always|never)\b|\balways (?:call|use) this\b|\bdo not (?:tell|mention|reveal|show)\b|\bsystem prompt\b|\bbefore (?:using|calling) any other\b|<\/?(?:system|important|instructions?)>/i;

export const toolRules: readonly Rule[] = [
  {
    ...policy,
    title: 'Every tool is valid',
    lane: 'runtime-compatibility',
    class: 'runtime-blocker',
    remediation: 'Give each tool a name and an inputSchema of type object.',
    claude: listing('tools.list-valid', criteria, 'Tools'),
    openai: listing('tools.list-valid', plugins, 'Definition'),
    evaluate: ({ tools }) =>
      ifKnown(tools, (all) => {
        if (all.length === 0) return violated('The server lists no tools');
        const invalid = all.filter(({ problem }) => problem !== undefined);
        if (invalid.length === 0) return satisfied({ tools: all.length });
        return noneOf(
          invalid.map((tool) => `${toolLabel(tool)} ${tool.problem}`),
          'Clients reject these tools',
        );
      }),
  },
  {
    ...policy,
    title: 'Tool names are unique',
    lane: 'runtime-compatibility',
    remediation: 'Rename one of the tools.',
    claude: listing('tools.name-unique', criteria, 'Tools'),
    openai: listing('tools.name-unique', plugins, 'Definition'),
    evaluate: ({ tools }) =>
      ifKnown(tools, (all) => {
        const names = all.map(({ name }) => name);
        const repeated = names.filter((name, index) => names.indexOf(name) < index);
        return noneOf([...new Set(repeated)], 'Several tools have this name');
      }),
  },
  {
    ...policy,
    title: `Tool names have at most ${maxNameLength} characters`,
    remediation: 'Shorten the name.',
    claude: listing('tools.name-length', criteria, 'Tools'),
    openai: listing('tools.name-length', plugins, 'Definition', { lane: 'runtime-compatibility' }),
    evaluate: (evidence) =>
      noTool(
        evidence,
        ({ name }) => name.length > maxNameLength,
        `The name is longer than ${maxNameLength} characters`,
      ),
  },
  {
    ...policy,
    title: 'Every tool has a title',
    remediation: 'Add `title`, or `annotations.title`.',
    claude: listing('tools.title-present', criteria, 'Tool annotations'),
    evaluate: (evidence) => noTool(evidence, ({ title }) => title === '', 'The tool has no title'),
  },
  {
    ...policy,
    title: 'Every tool declares whether it changes anything',
    remediation: 'Add `readOnlyHint: true` to read-only tools, and `destructiveHint` to the others.',
    claude: listing('tools.behavior-hints-present', criteria, 'Tool annotations'),
    evaluate: (evidence) =>
      noTool(
        evidence,
        ({ hints }) => hints.readOnly === undefined && hints.destructive === undefined,
        'The tool has neither readOnlyHint nor destructiveHint',
      ),
  },
  hintRule('read-only', 'readOnly', 'Every tool declares whether it is read-only'),
  hintRule('destructive', 'destructive', 'Every tool declares whether it is destructive'),
  hintRule('open-world', 'openWorld', 'Every tool declares whether it reaches external systems'),
  {
    ...policy,
    title: 'No tool is both read-only and destructive',
    remediation: 'Keep the hint that is true, and set the other to false.',
    claude: listing('tools.behavior-hints-consistent', criteria, 'Tool annotations'),
    openai: listing('tools.hints-consistent', plugins, 'Annotations'),
    evaluate: (evidence) =>
      noTool(
        evidence,
        ({ hints }) => hints.readOnly === true && hints.destructive === true,
        'readOnlyHint and destructiveHint are both true',
      ),
  },
  {
    ...policy,
    title: 'Every tool has a description',
    remediation: 'Describe briefly what the tool does and when to use it.',
    claude: listing('tools.description-present', criteria, 'Tool descriptions'),
    openai: listing('tools.description-present', plugins, 'Descriptions'),
    evaluate: (evidence) =>
      noTool(evidence, ({ description }) => description === '', 'The tool has no description'),
  },
  ...toolParameterRules,
  {
    ...policy,
    title: 'Descriptions do not instruct the model',
    class: 'heuristic',
    remediation: 'Describe what the tool does, not what the model should do.',
    claude: listing('tools.description-no-instructions', 'Software Directory Policy', 'Prompt injection'),
    openai: listing('tools.description-no-instructions', 'Plugins: app guidelines', 'Fair play', {
      remediation:
        'Describe what the tool does, not what the model should do or why it is better than other tools.',
    }),
    evaluate: (evidence) =>
      noTool(
        evidence,
        ({ description }) => orders.test(description),
        'The description gives the model orders',
      ),
  },
  {
    ...policy,
    title: 'Descriptions are short',
    lane: 'experience-insights',
    class: 'recommended',
    remediation: 'Move details into the descriptions of the parameters.',
    claude: listing('tools.description-brief', criteria, 'Tool descriptions'),
    openai: listing('experience.description-brief', plugins, 'Descriptions', { class: 'heuristic' }),
    evaluate: (evidence) =>
      noTool(
        evidence,
        ({ description }) => description.length > longDescription,
        `The description is longer than ${longDescription} characters`,
      ),
  },
  {
    ...policy,
    title: 'The number of tools is manageable',
    lane: 'experience-insights',
    class: 'heuristic',
    remediation: 'Combine rarely used operations, or move them to another server.',
    claude: listing('experience.tool-count', criteria, 'Tool design'),
    openai: listing('experience.tool-count', plugins, 'Design'),
    evaluate: ({ tools }) =>
      ifKnown(tools, ({ length }) =>
        length <= manyTools
          ? satisfied({ tools: length })
          : violated(`Models choose badly among more than ${manyTools} tools`, { tools: length }),
      ),
  },
  {
    ...optional,
    title: 'Every tool describes its result',
    remediation: 'Add an outputSchema, and answer with structuredContent.',
    claude: listing('features.output-schema', criteria, 'Tools'),
    openai: listing('tools.output-schema', plugins, 'Results'),
    evaluate: (evidence) =>
      noTool(evidence, ({ hasOutputSchema }) => !hasOutputSchema, 'The tool has no outputSchema'),
  },
  {
    ...optional,
    title: 'Tools answer when they are called',
    intrusiveness: 'side-effecting',
    remediation: 'Reviewers call every tool: return its result, or an error that helps.',
    requiresCapabilities: ['side-effects', 'mcp-session'],
    claude: listing('intrusive.tools-answer', criteria, 'Functionality'),
    openai: listing('tools.answer', 'Plugins: submission', 'Testing'),
    evaluate: ({ calls }) =>
      ifKnown(calls, (made) => {
        if (made.length === 0) return notApplicable('No tool can be called without arguments');
        const failed = made.filter(({ problem }) => problem !== undefined);
        if (failed.length === 0) return satisfied({ called: made.map(({ tool }) => tool) });
        return noneOf(
          failed.map(({ tool, problem }) => `${tool}: ${problem}`),
          'The call failed',
        );
      }),
  },
];

function hintRule(name: string, hint: keyof ToolFacts['hints'], title: string): Rule {
  return {
    ...policy,
    title,
    remediation: `Set \`${hint}Hint\` to true or false on every tool. A missing hint blocks the submission.`,
    openai: listing(`tools.${name}-hint-present`, plugins, 'Annotations'),
    evaluate: (evidence) =>
      noTool(evidence, ({ hints }) => hints[hint] === undefined, `The tool has no ${hint}Hint`),
  };
}
