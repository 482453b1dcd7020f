import { z } from 'zod';
import { type Alias, type Declaration, paramNames } from './operation.ts';

type Names = Readonly<Record<string, string>>;

/** How a family of aliases differs from its targets. Each record maps the target's spelling to the alias's. */
export interface Spelling<Fields extends Names = Names> {
  readonly area: Declaration['area'];
  /** Fields of bodies and responses, and path parameters. */
  readonly fields: Fields;
  /** Words of summaries. */
  readonly summary: Names;
  /** Parts of command names. */
  readonly command: Names;
  /** Parts of schema IDs. A whole ID takes precedence. */
  readonly schema: Names;
  /** Whether callers should move to the target. */
  readonly deprecated: boolean;
  /** Whether the domain implements them as operations of their own, because they differ in more than spelling. */
  readonly ownVerbs?: boolean;
}

/** Where one alias differs from what its spelling gives. */
type Differences = Partial<Omit<Declaration, 'path' | 'alias' | 'area' | 'query'>> & {
  readonly query?: z.ZodObject | undefined;
  /** Response fields that the alias never had; of each item where the response is a list. */
  readonly omit?: readonly string[];
  /** Whether the response refers to the target's schema instead of repeating it. */
  readonly sameResponse?: true;
};

type Renamed<Shape, Fields> = {
  [Field in keyof Shape as Field extends keyof Fields ? Extract<Fields[Field], string> : Field]: Shape[Field];
};
/** Schemas keep their type where no field is renamed. */
type Schemas<Target, Fields> = keyof Fields extends never
  ? Target
  : { [Name in keyof Target]: Name extends 'body' | 'response' ? z.ZodType : Target[Name] };
type AliasOf<Target, Path extends string, Fields, Different, OwnVerbs> = Omit<
  Schemas<Target, Fields>,
  'path' | keyof Different
> & { path: `/projects/{projectId}${Path}` } & (OwnVerbs extends true ? unknown : { alias: Alias }) & {
    [Name in keyof Different as Different[Name] extends undefined ? never : Name]: Different[Name];
  };

/** Declares aliases of the operations in `targets` under another spelling. Paths are written below a project. */
export function aliasesOf<
  const Targets extends object,
  const Fields extends Names,
  const OwnVerbs extends boolean = false,
>(targets: Targets, spelling: Spelling<Fields> & { ownVerbs?: OwnVerbs }) {
  return <
    const Of extends keyof Targets & string,
    const Path extends string,
    const Different extends Differences = object,
  >(
    of: Of,
    path: Path,
    differences: Differences & Different = {} as Different,
  ): AliasOf<Targets[Of], Path, Fields, Different, OwnVerbs> => {
    const target = targets[of] as Declaration;
    const { omit = [], sameResponse, ...different } = differences;
    const { summary, command, body, response, example } = target;
    return {
      ...target,
      area: spelling.area,
      path: `/projects/{projectId}${path}`,
      summary: replaced(summary, spelling.summary),
      description: spelling.deprecated ? `Use \`${of}\` instead.` : `Alias of \`${of}\`.`,
      ...(command !== undefined && { command: replaced(command, spelling.command) }),
      ...(body && { body: respelled(body, spelling) }),
      ...(example !== undefined && { example: renamed(example as object, spelling.fields) }),
      response: respelled(response as z.ZodType, spelling, omit, sameResponse),
      ...(spelling.deprecated && { deprecated: target.path }),
      ...(!spelling.ownVerbs && { alias: { of, ...conversion(path, spelling.fields, differences) } }),
      ...different,
    } as unknown as AliasOf<Targets[Of], Path, Fields, Different, OwnVerbs>;
  };
}

/** Converts the input of an alias to that of its target, and the answer back. */
function conversion(path: string, fields: Names, { omit = [], response }: Differences): Omit<Alias, 'of'> {
  const back = Object.fromEntries(Object.entries(fields).map(([target, alias]) => [alias, target]));
  const inPath = Object.fromEntries(
    paramNames(path).flatMap((name) => (back[name] ? [[name, back[name]]] : [])),
  );
  const answered = (answer: object): object => {
    const spelled = without({ ...renamed(answer, fields) }, omit);
    if (!(response instanceof z.ZodObject)) return spelled;
    return Object.fromEntries(Object.entries(spelled).filter(([name]) => name in response.shape));
  };
  return {
    toInput: ({ body, ...input }) => ({
      ...renamed(input, inPath),
      ...(body !== undefined && { body: isRecord(body) ? renamed(body, back) : body }),
    }),
    fromAnswer: (answer) => {
      const { items, ...rest } = answer as { items?: object[] };
      return Array.isArray(items) ? { ...rest, items: items.map(answered) } : answered(answer as object);
    },
  };
}

/** A schema whose ID the spelling changes, with its fields renamed. Any other schema is shared with the target. */
function respelled(
  schema: z.ZodType,
  spelling: Spelling,
  omit: readonly string[] = [],
  refer = false,
): z.ZodType {
  const id = schema.meta()?.id;
  if (!(schema instanceof z.ZodObject) || id === undefined) return schema;
  const newId = spelling.schema[id] ?? replaced(id, spelling.schema);
  if (newId === id) return schema;
  if (refer) return schema.meta({ id: newId });
  const { items } = schema.shape;
  const shape =
    items instanceof z.ZodArray
      ? { ...schema.shape, items: z.array(respelledItem(items.element as z.ZodType, spelling, omit)) }
      : without(renamed(schema.shape, spelling.fields), omit);
  return schema.clone({ ...schema.def, shape }).meta({ id: newId });
}

function respelledItem(item: z.ZodType, spelling: Spelling, omit: readonly string[]): z.ZodType {
  const names = Object.keys(item instanceof z.ZodObject ? item.shape : {});
  const differs = names.some((name) => Object.hasOwn(spelling.fields, name) || omit.includes(name));
  return differs ? respelled(item, spelling, omit) : item;
}

export function renamed<const Shape extends object, const Fields extends Names>(
  shape: Shape,
  fields: Fields,
): Renamed<Shape, Fields> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, value]) => [Object.hasOwn(fields, name) ? fields[name] : name, value]),
  ) as Renamed<Shape, Fields>;
}

function without<Value>(
  record: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function replaced(text: string, words: Names): string {
  return Object.entries(words).reduce((before, [word, other]) => before.replaceAll(word, other), text);
}
