import type { Input, Output } from '../../api/index.ts';

export type Environment = Output<'getEnvironment'>;
type Create = Input<'createEnvironment'>['body'];
type Update = Input<'updateEnvironment'>['body'];

/** The parts of an environment as form values; empty means none. */
export interface Composition {
  name: string;
  description: string;
  hostId: string;
  serverAttachmentId: string;
  modelId: string;
  skillIds: string[];
  secretIds: string[];
  pluginVersionIds: string[];
}

export const nothing: Composition = {
  name: '',
  description: '',
  hostId: '',
  serverAttachmentId: '',
  modelId: '',
  skillIds: [],
  secretIds: [],
  pluginVersionIds: [],
};

export function compositionOf(environment: Environment): Composition {
  return {
    name: environment.name ?? '',
    description: environment.description ?? '',
    hostId: environment.hostId,
    serverAttachmentId: environment.serverAttachmentId ?? '',
    modelId: environment.modelId ?? '',
    skillIds: environment.skillSelection?.skillIds ?? [],
    secretIds: environment.secretSelection?.secretIds ?? [],
    pluginVersionIds: environment.pluginVersionIds ?? [],
  };
}

/** Request body that creates an environment. */
export function createBody(made: Composition): Create {
  const { name, description, hostId, serverAttachmentId, modelId, skillIds, secretIds, pluginVersionIds } =
    made;
  return {
    name,
    hostId,
    ...(description !== '' && { description }),
    ...(serverAttachmentId !== '' && { serverAttachmentId }),
    ...(modelId !== '' && { modelId }),
    ...(skillIds.length > 0 && { skillSelection: { mode: 'explicit', skillIds } }),
    ...(secretIds.length > 0 && { secretSelection: { mode: 'explicit', secretIds } }),
    ...(pluginVersionIds.length > 0 && { pluginVersionIds }),
  };
}

/** Request body that updates it: changed fields only, `null` for removed ones. */
export function updateBody(before: Composition, after: Composition, expectedRevision: number): Update {
  const texts = { ...changedText('name'), ...changedText('description'), ...changedText('hostId') };
  const lists = {
    ...(differ('skillIds') && {
      skillSelection: orNull(after.skillIds, (skillIds) => ({ mode: 'explicit' as const, skillIds })),
    }),
    ...(differ('secretIds') && {
      secretSelection: orNull(after.secretIds, (secretIds) => ({ mode: 'explicit' as const, secretIds })),
    }),
    ...(differ('pluginVersionIds') && { pluginVersionIds: orNull(after.pluginVersionIds, (ids) => ids) }),
  };
  return {
    expectedRevision,
    ...texts,
    ...(differ('serverAttachmentId') && { serverAttachmentId: after.serverAttachmentId || null }),
    ...(differ('modelId') && { modelId: after.modelId || null }),
    ...lists,
  };

  function changedText(field: 'name' | 'description' | 'hostId'): Record<string, string> {
    return differ(field) ? { [field]: after[field] } : {};
  }

  function differ(field: keyof Composition): boolean {
    return JSON.stringify(sorted(before[field])) !== JSON.stringify(sorted(after[field]));
  }
}

function sorted(value: string | string[]): string | string[] {
  return Array.isArray(value) ? value.toSorted() : value;
}

function orNull<Made>(ids: string[], make: (ids: string[]) => Made): Made | null {
  return ids.length === 0 ? null : make(ids);
}
