import { useRef } from 'react';
import { api, useSubmit } from '../../api/index.ts';
import { asSchema } from '../../kit/form/schema.ts';

interface ServerRef {
  projectId: string;
  serverId: string;
}

interface Body {
  toolName: string;
  parameters: Record<string, unknown>;
}

export type Rendering = ReturnType<typeof useRendering>;

/** Whether a tool declares a UI resource. */
export function namesWidget(tool: object): boolean {
  const meta = asSchema(asSchema(tool)?.['_meta']) ?? {};
  const places = [
    asSchema(meta['ui'])?.['resourceUri'],
    meta['ui/resourceUri'],
    meta['openai/outputTemplate'],
  ];
  return places.some((uri) => typeof uri === 'string' && uri.startsWith('ui://'));
}

/** Calls a tool and renders its widget in a browser of the service. */
export function useRendering(which: ServerRef) {
  const ending = useRef<AbortController>(undefined);
  const { mutate, reset, isPending, variables, data, error } = useSubmit((body: Body) => {
    const { signal } = (ending.current = new AbortController());
    return api.renderServerWidget({ ...which, body: { ...body, includeScreenshot: true } }, { signal });
  });
  const stop = (): void => {
    reset();
    ending.current?.abort();
  };
  return { start: mutate, stop, isPending, asked: variables, result: data, error };
}
