import { afterAll, beforeAll } from 'vitest';
import { type Answer, dispose, startTestService, type TestService } from './service.ts';

let names = 0;
/** No two are the same. */
export const named = (prefix: string): string => `${prefix} ${++names}`;
export const result = (caseTitle: string, passed: boolean, rest: object = {}) => ({
  caseTitle,
  passed,
  ...rest,
});

export interface Ingesting {
  service: TestService;
  ingest: (path: string, body: object | string, project?: string) => Promise<Answer>;
  // Tests read arbitrary answers.
  // oxlint-disable-next-line typescript/no-explicit-any
  get: (path: string) => Promise<any>;
}

/** For a test file: a service that results are sent to. */
export function ingesting(take: (parts: Ingesting) => void): void {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    take({
      service,
      ingest: (path, body, project = 'default') =>
        service.post(`/projects/${project}/eval-ingest/${path}`, body),
      get: async (path) => (await service.get(path)).body as unknown,
    });
  });
  afterAll(() => dispose(service));
}
