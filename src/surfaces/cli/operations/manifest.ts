import { operationList } from '../../../contract/index.ts';
import { areas, isSafe, isSecondName, type Operation } from '../../../contract/operation.ts';
import { type Lookups, lookupsOf } from '../../common/lookups.ts';
import { openApiDocument } from '../../openapi/document.ts';
import type { OpenApiDocument, OperationObject, Schema } from '../../openapi/types.ts';
import { type Flag, flagsOf } from './flags.ts';
import { argumentName, commandName } from './names.ts';

/** A command that calls one operation. */
export interface OperationCommand {
  group: string;
  verb: string;
  id: string;
  summary: string;
  description?: string;
  /** Path parameters in order, without the project and the organization. */
  params: { param: string; argument: string }[];
  /** The flag that may also be given as a last argument. */
  argument?: string;
  /** Where `--project` and `--organization` are sent. A required one has a default. */
  project?: Container;
  organization?: Container;
  flags: Flag[];
  sends: 'nothing' | 'json' | 'bytes';
  /** The default media type of an upload. */
  mediaType?: string;
  answers: 'json' | 'file' | 'events';
  list: boolean;
  deletes: boolean;
  safe: boolean;
  spends: boolean;
  repeatable: boolean;
  /** The body requires an idempotency key. */
  keyed: boolean;
  deprecated: boolean;
  /** An alias of another command; omitted from help and completion. */
  hidden: boolean;
}

export interface Container {
  place: 'path' | 'query' | 'body';
  needed: boolean;
}

export interface OperationManifest {
  groups: Record<string, string>;
  commands: OperationCommand[];
  lookups: Lookups;
}

/** Descriptions of groups that share an area of the API with other groups. */
const groupLabels: Record<string, string> = {
  personas: 'Manage personas: the users that a model plays in journeys.',
  swarms: 'Manage swarms: groups of journeys with shared defaults, and their statistics.',
  'journey-runs': 'Manage journey runs: sessions, scorecards, events and cancellation.',
  'journey-findings': 'Manage recurring failures of journeys across waves.',
  'registry-cards': 'Manage the servers that an organization offers to its projects.',
  waves: 'Analyze journey runs that were launched together.',
};

/** Every operation as a command. The build precomputes this table, because it needs all schemas of the contract. */
export const operationManifest: OperationManifest = makeManifest(operationList);

function makeManifest(operations: readonly Operation[]): OperationManifest {
  const document = openApiDocument('', '', operations);
  const lookups = lookupsOf(operations);
  const commands = operations.map((operation): OperationCommand => {
    const described = objectOf(operation, document);
    const list = isList(operation, document);
    const projectIsArgument =
      operation.path.startsWith('/projects/{projectId}') && isAboutProjects(operation);
    return {
      ...commandName(operation, list),
      id: operation.id,
      summary: operation.summary,
      ...(operation.description !== undefined && { description: operation.description }),
      params: operation.params
        .filter((param) => !(param === 'projectId' && !projectIsArgument) && param !== 'organizationId')
        .map((param) => ({ param, argument: argumentName(param) })),
      ...(!projectIsArgument && containerOf('project', operation, described, document)),
      ...containerOf('organization', operation, described, document),
      ...flagsAndArgument(operation, flagsOf(described, document, lookups)),
      sends: operation.upload ? 'bytes' : operation.body ? 'json' : 'nothing',
      ...(operation.upload && { mediaType: operation.upload.mediaType }),
      answers: operation.answers,
      list,
      deletes: operation.method === 'DELETE',
      safe: isSafe(operation),
      spends: operation.spends === true,
      repeatable: operation.idempotency !== undefined,
      keyed: bodyOf(described, document).required.includes('idempotencyKey'),
      deprecated: operation.deprecated !== undefined,
      hidden: isSecondName(operation),
    };
  });
  return { groups: groupsOf(operations, commands), commands, lookups };
}

function flagsAndArgument(
  { argument }: Operation,
  flags: Flag[],
): Pick<OperationCommand, 'flags' | 'argument'> {
  const named = flags.find(({ field }) => field === argument);
  return { flags, ...(named && { argument: named.flag }) };
}

function isAboutProjects({ area }: Operation): boolean {
  return area === 'Projects';
}

function containerOf(
  what: 'project' | 'organization',
  { params }: Operation,
  described: OperationObject,
  document: OpenApiDocument,
): Partial<Pick<OperationCommand, 'project' | 'organization'>> {
  const name = `${what}Id`;
  const { parameters = [] } = described;
  if (params.includes(name)) return { [what]: { place: 'path', needed: true } };
  const query = parameters.find((parameter) => parameter.name === name);
  if (query) return { [what]: { place: 'query', needed: query.required } };
  const { properties, required } = bodyOf(described, document);
  // A body without a project means the Default one.
  const needed = what === 'project' || required.includes(name);
  return name in properties ? { [what]: { place: 'body', needed } } : {};
}

function bodyOf({ requestBody }: OperationObject, document: OpenApiDocument) {
  const body = requestBody?.content['application/json']?.schema;
  const { properties = {}, required = [] } = body ? resolved(body, document) : {};
  return { properties, required };
}

/** Maps each command group to its description: from `groupLabels`, otherwise the area of its first command. */
function groupsOf(operations: readonly Operation[], commands: OperationCommand[]): Record<string, string> {
  const groups: Record<string, string> = {};
  for (const [index, { group }] of commands.entries())
    groups[group] ??=
      groupLabels[group] ?? areas[(operations[index] as Operation).area as keyof typeof areas];
  return groups;
}

function isList(operation: Operation, document: OpenApiDocument): boolean {
  return itemOf(operation, document) !== undefined;
}

/** The item schema of a list. */
function itemOf(operation: Operation, document: OpenApiDocument): Schema | undefined {
  const answer = objectOf(operation, document).responses[String(operation.status)];
  const schema = answer && 'content' in answer ? answer.content['application/json']?.schema : undefined;
  const { items } = schema ? (resolved(schema, document).properties ?? {}) : {};
  return items?.items && resolved(items.items, document);
}

function resolved(schema: Schema, { components: { schemas } }: OpenApiDocument): Schema {
  return schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
}

function objectOf({ path, method }: Operation, { paths }: OpenApiDocument): OperationObject {
  return paths[path]?.[method.toLowerCase()] as OperationObject;
}
