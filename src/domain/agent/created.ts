import type { CreatedResource } from '../../contract/agent.ts';

interface Named {
  id: string;
  title?: string;
  name?: string | null;
}

/** Resources an operation created, from its response, with links to their console pages. */
export function createdBy(
  operationId: string,
  args: Record<string, unknown>,
  answer: unknown,
  project: string,
): CreatedResource[] {
  const suitePage = (suiteId: unknown): string => `${project}/suites/${encodeURIComponent(String(suiteId))}`;
  const ofCase = ({ id, title }: Named): CreatedResource => ({
    type: 'eval_case',
    id,
    ...(title !== undefined && { name: title }),
    url: suitePage(args['suiteId']),
  });
  switch (operationId) {
    case 'createEvalSuite': {
      const { suiteId: id, name } = answer as { suiteId: string; name: string };
      return [{ type: 'eval_suite', id, name, url: suitePage(id) }];
    }
    case 'createEvalCase':
      return [ofCase(answer as Named)];
    case 'createEvalCases':
      return (answer as { created: (Named & { replayed: boolean })[] }).created
        .filter(({ replayed }) => !replayed)
        .map(ofCase);
    case 'ensureAdhocEnvironment': {
      const { environment, created } = answer as { environment: Named; created: boolean };
      const { id, name } = environment;
      const url = `${project}/environments/${encodeURIComponent(id)}`;
      return created ? [{ type: 'environment', id, ...(name && { name }), url }] : [];
    }
    default:
      return [];
  }
}
