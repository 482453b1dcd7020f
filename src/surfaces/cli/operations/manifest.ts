import { operationList } from '../../../contract/index.ts';
import { areas, isSafe, isSecondName, type Operation, streamedAnswer } from '../../../contract/operation.ts';
import { type Lookups, lookupsOf } from '../../lookups.ts';
import { openApiDocument } from '../../openapi/document.ts';
import type { OpenApiDocument, OperationObject, Schema } from '../../openapi/types.ts';
import { type Flag, flagsOf } from './flags.ts';
import { argumentName, commandName } from './names.ts';

/** A command that calls one operation. */
export interface OperationCommand {
  group: string;
  verb: string;
  /** Of the operation. */
  id: string;
  summary: string;
  description?: string;
  /** Names in the path, in order, but for the project and the organization. */
  params: { param: string; argument: string }[];
  /** The flag that may also be given without its name, behind those. */
  argument?: string;
  /** Where the option `--project` goes, and `--organization`; taken to be the own one where it is needed. */
  project?: Container;
  organization?: Container;
  flags: Flag[];
  sends: 'nothing' | 'json' | 'bytes';
  /** Of the bytes it takes, when nobody says another. */
  mediaType?: string;
  answers: 'json' | 'file' | 'events';
  /** Answers page by page. */
  list: boolean;
  deletes: boolean;
  safe: boolean;
  spends: boolean;
  repeatable: boolean;
  /** The body has to hold a key of its own for each thing that is sent. */
  keyed: boolean;
  deprecated: boolean;
  /** Can be called, but another command offers the same: help and completion leave it out. */
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

/** Groups of which several share an area, so that its words would not say what each is about. */
const groupWords: Record<string, string> = {
  personas: 'Those whom a model plays in journeys: who they are and how they speak.',
  swarms: 'Journeys that belong together, with defaults for them; and how all journeys have been going.',
  'journey-runs':
    'One launch of a journey: how its sessions went, its scorecard, following and cancelling it.',
  'journey-findings': 'What keeps going wrong in journeys, from wave to wave.',
  'registry-cards': 'Servers that administrators of an organization have chosen for its projects.',
  waves: 'Journey runs that were launched together: what they have in common, on request.',
};

/** Every operation as a command. A build keeps this as a table: making it takes the contract and all its schemas. */
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
      answers: streamedAnswer(operation.response)?.kind ?? 'json',
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

/** What is done with a project itself, rather than with something in it. */
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
  // A body that need not say the project means the Default one, or does not look at it.
  const needed = what === 'project' || required.includes(name);
  return name in properties ? { [what]: { place: 'body', needed } } : {};
}

function bodyOf({ requestBody }: OperationObject, document: OpenApiDocument) {
  const body = requestBody?.content['application/json']?.schema;
  const { properties = {}, required = [] } = body ? resolved(body, document) : {};
  return { properties, required };
}

/** A group without words of its own is described by the area of its first command. */
function groupsOf(operations: readonly Operation[], commands: OperationCommand[]): Record<string, string> {
  const groups: Record<string, string> = {};
  for (const [index, { group }] of commands.entries())
    groups[group] ??= groupWords[group] ?? areas[(operations[index] as Operation).area as keyof typeof areas];
  return groups;
}

function isList(operation: Operation, document: OpenApiDocument): boolean {
  return itemOf(operation, document) !== undefined;
}

/** What a list lists. */
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
