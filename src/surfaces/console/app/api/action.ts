import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { toastError, toastSuccess } from '../kit/toast.tsx';

/** A mutation: `mutate` starts it; `isPending`, `error` and `data` are its state. */
export type Action<Out = unknown, Given = void> = UseMutationResult<Out, Error, Given>;

export interface Outcome<Out, Given> {
  /** Success message. */
  says?: string | ((answer: Out, given: Given) => string) | undefined;
  onDone?: ((answer: Out, given: Given) => unknown) | undefined;
  onFail?: (error: Error) => unknown;
}

/** A write started by a button; a toast shows its error. API client calls refresh the queries they affect. */
export function useAction<Out, Given = void>(
  call: (given: Given) => Promise<Out>,
  { onFail = toastError, ...outcome }: Outcome<Out, Given> = {},
): Action<Out, Given> {
  return useSubmit(call, { ...outcome, onFail });
}

/** A write started by a form, which shows `error` next to its fields. */
export function useSubmit<Out, Given = void>(
  call: (given: Given) => Promise<Out>,
  { says, onDone, onFail }: Outcome<Out, Given> = {},
): Action<Out, Given> {
  return useMutation({
    mutationFn: call,
    onSuccess: async (answer, given) => {
      if (says !== undefined) toastSuccess(typeof says === 'string' ? says : says(answer, given));
      await onDone?.(answer, given);
    },
    ...(onFail && { onError: async (error: Error) => void (await onFail(error)) }),
  });
}
