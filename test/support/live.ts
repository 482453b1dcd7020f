import { newId } from '../../src/platform/ids.ts';
import type { Answer, TestService } from './service.ts';

/** A saved server, with the operations below it at hand. */
export interface SavedServer {
  id: string;
  path: string;
  post(operation: string, body?: object): Promise<Answer>;
}

/** Saves a server in the Default project, under a name of its own. */
export async function saveServer(
  service: TestService,
  fields: object,
  key = service.key,
): Promise<SavedServer> {
  const project = `/projects/${await service.defaultProject(key)}`;
  const { status, text, body } = await service.post(
    `${project}/servers`,
    { name: newId('s'), ...fields },
    { key },
  );
  if (status !== 201) throw new Error(`The server was not saved: ${status} ${text}`);
  const path = `${project}/servers/${body.id as string}`;
  return {
    id: body.id,
    path,
    post: (operation, content = {}) => service.post(`${path}/${operation}`, content, { key }),
  };
}
