import { useEffect } from 'react';
import { factsOf } from '../api/problem.ts';
import { IconButton } from './button.tsx';
import { CloseIcon } from './icons.tsx';
import { Glyph, type State } from './state.tsx';
import { personalStoreOf } from './store.ts';
import { cut, plain } from './text.ts';
import css from './toast.module.css';

interface Toast {
  id: number;
  state: State;
  text: string;
  detail: string | undefined;
}

const toasts = personalStoreOf<readonly Toast[]>([]);
let next = 0;
const maxToasts = 3;
/** Milliseconds until a confirmation disappears. Errors stay until dismissed or displaced by newer messages. */
const lifetime = 5_000;

function show(toast: Omit<Toast, 'id'>): void {
  toasts.set([...toasts.get(), { id: next++, ...toast }].slice(-maxToasts));
}

/** Shows a success message. */
export function toastSuccess(text: string): void {
  show({ state: 'passed', text, detail: undefined });
}

/** Shows an error with its code and request ID. */
export function toastError(error: unknown): void {
  const { message, advice, code, requestId } = factsOf(error);
  const detail = [advice, code, requestId].filter(Boolean).join(' · ');
  show({ state: 'attention', text: message, detail });
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

export function Toasts() {
  const shown = toasts.use();
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
        <p>{plain(cut(text, 500))}</p>
        {detail && <p className={css.detail}>{detail}</p>}
      </div>
      <IconButton label="Dismiss" onClick={() => dismiss(id)}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}
