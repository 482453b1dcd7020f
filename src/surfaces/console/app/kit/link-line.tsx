import css from './copy.module.css';
import { CopyButton } from './copy.tsx';

/** A URL to share, with a copy button. Truncated to the available width. */
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
