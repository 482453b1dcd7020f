import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { OperatorProblem } from '../platform/problem.ts';

const ModelsFile = z.strictObject({
  models: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[\w.-]+\/[\w.:-]+$/, 'Write provider/name, like openai/gpt-5-nano'),
        name: z.string().min(1).optional(),
        contextLength: z.number().int().positive().optional(),
      }),
    )
    .max(1000),
});

interface CatalogModel {
  id: string;
  provider: string;
  name: string;
  hosted: boolean;
  contextLength?: number;
}

/** The models this deployment runs on its own keys. */
export interface ModelCatalog {
  list(): CatalogModel[];
}

export function loadModelCatalog(file: string | undefined): ModelCatalog {
  const models = file === undefined ? [] : readModels(file);
  return { list: () => models };
}

function readModels(file: string): CatalogModel[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OperatorProblem(`DRYDOCK_MODELS_FILE cannot be read: ${(error as Error).message}`);
  }
  const parsed = ModelsFile.safeParse(content);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new OperatorProblem(
      `DRYDOCK_MODELS_FILE is not usable: ${issue?.path.join('.')}: ${issue?.message}`,
    );
  }
  return parsed.data.models.map(({ id, name, contextLength }) => ({
    id,
    provider: id.slice(0, id.indexOf('/')),
    name: name ?? id.slice(id.indexOf('/') + 1),
    hosted: true,
    ...(contextLength !== undefined && { contextLength }),
  }));
}
