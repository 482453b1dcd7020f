import { useEffect, useSyncExternalStore } from 'react';
import { factsOf } from '../api/problem.ts';
import { IconButton } from './button.tsx';
import { CloseIcon } from './icons.tsx';
import { Glyph, type State } from './state.tsx';
import css from './toast.module.css';

interface Toast {
  id: number;
  state: State;
  text: string;
  detail: string | undefined;
}

let toasts: readonly Toast[] = [];
let next = 0;
const listeners = new Set<() => void>();
const most = 3;
/** What went well goes by itself; what did not stays until it is read. */
const lifetime = 5_000;

function set(changed: readonly Toast[]): void {
  toasts = changed;
  for (const tell of listeners) tell();
}

/** Says what was done. */
export function say(text: string): void {
  set([...toasts, { id: next++, state: 'passed' as const, text, detail: undefined }].slice(-most));
}

/** Says what failed, with the id that the log knows it by. */
export function complain(error: unknown): void {
  const { message, advice, code, requestId } = factsOf(error);
  const detail = [advice, code, requestId].filter(Boolean).join(' · ');
  set([...toasts, { id: next++, state: 'attention' as const, text: message, detail }].slice(-most));
}

function dismiss(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => toasts,
  );
  return (
    <section className={css.toasts} aria-label="Messages" aria-live="polite">
      {shown.map((toast) => (
        <ToastBox key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastBox({ toast }: { toast: Toast }) {
  const { id, state, text, detail } = toast;
  useEffect(() => {
    if (state !== 'passed') return;
    const timer = setTimeout(() => dismiss(id), lifetime);
    return () => clearTimeout(timer);
  }, [id, state]);
  return (
    <div className={css.toast}>
      <Glyph state={state} size={16} />
      <div className={css.words}>
        <p>{text}</p>
        {detail && <p className={css.detail}>{detail}</p>}
      </div>
      <IconButton label="Dismiss" onClick={() => dismiss(id)}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}
