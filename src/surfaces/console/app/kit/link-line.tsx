import css from './copy.module.css';
import { CopyButton } from './copy.tsx';

/** An address to be handed on: all of it is copied, as much of it is shown as there is room for. */
export function LinkLine({ url, label, open }: { url: string; label: string; open: string }) {
  return (
    <p className={css.link}>
      <code title={url}>{url}</code>
      <CopyButton text={url} label={label} />
      <a href={url} target="_blank" rel="noopener noreferrer">
        {open}
      </a>
    </p>
  );
}
