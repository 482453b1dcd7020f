import { type OperationId, operationList } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { admit } from '../access.ts';
import { configuredOrigin, type ProjectContext, type Services } from '../context.ts';
import { authenticate } from './authenticate.ts';

interface ActingFor {
  organizationId: string;
  userId: string;
  projectId: string;
  /** Names the job in the log and the audit. */
  requestId: string;
}

/**
 * The context in which a job does what an operation does, on behalf of an account: whoever may not call the operation is
 * refused here too.
 */
export async function actFor(
  services: Services,
  id: OperationId,
  { organizationId, userId, projectId, requestId }: ActingFor,
): Promise<ProjectContext> {
  const operation = operationList.find((one) => one.id === id) as Operation;
  const credential = { kind: 'account' as const, organizationId, userId };
  const caller = await authenticate(services.db, credential, { projectId }, () => {});
  const never = new AbortController().signal;
  const occasion = {
    requestId,
    callerGone: () => never,
    origin: () => configuredOrigin(services),
    afterwards: (work: () => void) => work(),
  };
  return (await admit(services, occasion, operation, caller, { projectId })) as ProjectContext;
}

/** The same for work that takes its time: it is aborted, and refused, when the account may no longer do it. */
export async function actWhile<T>(
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
