import * as browsers from '../../src/platform/database/queries/browser-sessions.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestService } from './service.ts';

/** A browser of the maker that was never awake: starting one takes a second, and most tests need none. */
export async function sleepingBrowser(
  service: TestService,
  projectId: string,
  chatSessionId: string | null = null,
): Promise<string> {
  const policy = { mode: 'read_only' };
  const { id } = await service.db.one(browsers.insert, {
    id: newId('brw'),
    organizationId: (await service.get('/organizations')).body.items[0].id as string,
    projectId,
    userId: (await service.get('/me')).body.id as string,
    chatSessionId,
    runKey: null,
    idempotencyKey: null,
    policy,
    effective: policy,
    profile: null,
    state: 'sleeping',
  });
  return id;
}
