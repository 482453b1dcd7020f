/** The parts of a tool that checks read, cut to a bounded size. */
export interface ToolFacts {
  name: string;
  title: string;
  description: string;
  hints: { readOnly?: boolean; destructive?: boolean; openWorld?: boolean };
  parameters: Parameter[];
  /** The number of required parameters. */
  required: number;
  hasOutputSchema: boolean;
  /** The declared callers, `model` and `app`. */
  visibility?: string[];
  uiUri?: string;
  /** The tool names its interface only with `openai/outputTemplate` of the Apps SDK. */
  legacyUi: boolean;
  /** The reason clients reject the tool. */
  problem?: string;
}

interface Parameter {
  /** The full path of a nested parameter, like `filter.name`. */
  name: string;
  type: string;
  description: string;
  /** The values of `enum` or `const`. */
  choices?: string[];
}

const maxNameLength = 256;
const maxTextLength = 4_000;
const maxDepth = 4;
const maxParameters = 200;
const maxChoices = 50;

type Json = Record<string, unknown>;

export function toolFacts(sent: unknown): ToolFacts {
  const tool = record(sent);
  const annotations = record(tool['annotations']);
  const meta = record(tool['_meta']);
  const ui = record(meta['ui']);
  const input = record(tool['inputSchema']);
  const visibility = ui['visibility'];
  const uris = [ui['resourceUri'], meta['ui/resourceUri'], meta['openai/outputTemplate']].map((uri) =>
    text(uri),
  );
  const uiUri = uris.find((uri) => uri.startsWith('ui://'));
  const problem = problemOf(tool, input);
  return {
    name: text(tool['name'], maxNameLength),
    title: text(tool['title'] ?? annotations['title'], maxNameLength).trim(),
    description: text(tool['description'], maxTextLength).trim(),
    hints: {
      ...hint('readOnly', annotations['readOnlyHint']),
      ...hint('destructive', annotations['destructiveHint']),
      ...hint('openWorld', annotations['openWorldHint']),
    },
    parameters: parametersOf(input),
    required: Array.isArray(input['required']) ? input['required'].length : 0,
    hasOutputSchema: Object.keys(record(tool['outputSchema'])).length > 0,
    ...(Array.isArray(visibility) && { visibility: visibility.slice(0, 10).map((one) => text(one, 50)) }),
    ...(uiUri !== undefined && { uiUri }),
    legacyUi: text(ui['resourceUri']) === '' && text(meta['openai/outputTemplate']) !== '',
    ...(problem !== undefined && { problem }),
  };
}

function problemOf(tool: Json, input: Json): string | undefined {
  if (text(tool['name']) === '') return 'has no name';
  if (tool['inputSchema'] === undefined) return 'has no inputSchema';
  return input['type'] === 'object' ? undefined : 'has an inputSchema that is not of type object';
}

function hint<Name extends string>(name: Name, value: unknown): { [N in Name]?: boolean } {
  return (typeof value === 'boolean' ? { [name]: value } : {}) as { [N in Name]?: boolean };
}

interface Level {
  prefix: string;
  schema: Json;
}

/** Reads the schema breadth-first, so that a deep schema costs no more than a flat one. */
function parametersOf(schema: Json): Parameter[] {
  const found: Parameter[] = [];
  let level: Level[] = [{ prefix: '', schema }];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const here = level.flatMap(propertiesOf).slice(0, maxParameters - found.length);
    found.push(...here.map(({ name, schema: own }) => parameterOf(name, own)));
    level = here.map(({ name, schema: own }) => ({ prefix: `${name}.`, schema: own }));
  }
  return found;
}

function propertiesOf({ prefix, schema }: Level): { name: string; schema: Json }[] {
  return Object.entries(record(schema['properties']))
    .slice(0, maxParameters)
    .map(([name, own]) => ({ name: `${prefix}${name}`.slice(0, maxNameLength), schema: record(own) }));
}

function parameterOf(name: string, schema: Json): Parameter {
  const choices = schema['enum'] ?? (schema['const'] === undefined ? undefined : [schema['const']]);
  const type = Array.isArray(schema['type']) ? schema['type'].join(' ') : schema['type'];
  return {
    name,
    type: text(type, 50),
    description: text(schema['description'], 500),
    ...(Array.isArray(choices) && { choices: choices.slice(0, maxChoices).map((one) => text(one, 100)) }),
  };
}

function text(value: unknown, most = maxTextLength): string {
  return typeof value === 'string' ? value.slice(0, most).toWellFormed() : '';
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
