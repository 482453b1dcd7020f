import { modelId, type Service } from '../sessions/service.ts';

/** A suite whose cases each ask the model for one call of `echo`. */
export async function makeSuite(
  { api, projectId, serverId }: Service,
  count: number,
  each: number,
): Promise<string> {
  const { suiteId } = await api.createEvalSuite({
    projectId,
    body: {
      name: `bench ${each}`,
      serverIds: [serverId],
      model: modelId,
      repetitions: each,
      passThreshold: 1,
      tests: Array.from({ length: count }, (_, nth) => ({
        title: `Case ${nth}`,
        steps: [
          { id: '1', kind: 'prompt' as const, prompt: `Say ahoy to the server, number ${nth}.` },
          {
            id: '2',
            kind: 'assert' as const,
            assertion: {
              type: 'toolCalledWith' as const,
              toolName: 'echo',
              args: { args: { message: 'ahoy' } },
            },
          },
          {
            id: '3',
            kind: 'assert' as const,
            assertion: { type: 'responseContains' as const, needle: 'ahoy' },
          },
        ],
      })),
    },
  });
  return suiteId;
}

/** Milliseconds from the request to the verdict. */
export async function run(
  { api, projectId }: Service,
  suiteId: string,
  iterations: number | undefined,
): Promise<number> {
  const began = performance.now();
  const override = iterations === undefined ? {} : { iterationOverride: iterations };
  const { runId } = await api.createEvalRun({ projectId, body: { suiteId, ...override } });
  for await (const { type } of api.watchEvalRun({ projectId, runId })) if (type === 'run.decided') break;
  const wall = performance.now() - began;
  const { result, summary } = await api.getEvalRun({ projectId, runId });
  if (result !== 'passed') throw new Error(`the run ended ${result}: ${JSON.stringify(summary)}`);
  return wall;
}
