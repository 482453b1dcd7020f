import type { OperationId } from '../../contract/index.ts';
import type { Route } from '../../contract/operation.ts';
import { routes } from '../../contract/routes.ts';
import { admit } from '../context/access.ts';
import { configuredOrigin, type ProjectContext, type Services } from '../context/context.ts';
import { authenticate } from './authenticate.ts';

interface ActingFor {
  organizationId: string;
  userId: string;
  projectId: string;
  /** Identifies the job in logs and audit. */
  requestId: string;
}

/**
 * Context for a job that performs an operation on behalf of an account. Refused if the account may not call the
 * operation.
 */
export async function actFor(
  services: Services,
  id: OperationId,
  { organizationId, userId, projectId, requestId }: ActingFor,
): Promise<ProjectContext> {
  const operation = routes.find((one) => one.id === id) as Route;
  const credential = { kind: 'account' as const, organizationId, userId };
  const caller = await authenticate(services.db, credential, { projectId }, () => {});
  const never = new AbortController().signal;
  const requestInfo = {
    requestId,
    callerGone: () => never,
    origin: () => configuredOrigin(services),
    afterwards: (work: () => void) => work(),
  };
  return (await admit(services, requestInfo, operation, caller, { projectId })) as ProjectContext;
}

/** As `actFor`, for long-running work: aborts and refuses when the account loses access. */
export async function actForWhileAllowed<T>(
  services: Services,
  id: OperationId,
  acting: ActingFor,
  signal: AbortSignal,
  work: (context: ProjectContext) => Promise<T>,
): Promise<T> {
  const context = await actFor(services, id, acting);
  return services.accessWatch.during(acting, signal, (ends) => {
    context.callerGone = () => ends;
    return work(context);
  });
}
