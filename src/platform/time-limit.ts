/**
 * Aborts after so many milliseconds. Not AbortSignal.timeout: Node 20 forgets such a signal when only an AbortSignal.any
 * refers to it, and the time would never be up.
 */
export function timeLimit(ms: number): AbortSignal {
  const controller = new AbortController();
  const isUp = (): void =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  setTimeout(isUp, ms).unref();
  return controller.signal;
}
