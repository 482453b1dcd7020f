import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import css from './copy.module.css';
import { CopyIcon, DoneIcon } from './icons.tsx';

/** Duration of the success state. */
const feedbackMs = 1500;

/** A function passed as `text` is called when the button is clicked. */
export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), feedbackMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => void copyText(typeof text === 'string' ? text : text()).then(setCopied);
  return (
    <IconButton label={copied ? 'Copied' : label} className={css.button} onClick={copy}>
      {copied ? <DoneIcon /> : <CopyIcon />}
    </IconButton>
  );
}

/** Pages without TLS have no Clipboard API; `execCommand` is the fallback. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const worked = document.execCommand('copy');
  area.remove();
  return worked;
}

/** An ID, shown as its prefix and last six characters; the button copies it in full. */
export function Id({ value }: { value: string }) {
  return (
    <span className={css.id}>
      <code title={value}>{shortened(value)}</code>
      <CopyButton text={value} label={`Copy ${value}`} />
    </span>
  );
}

function shortened(id: string): string {
  const at = id.indexOf('_');
  return at > 0 && id.length - at > 12 ? `${id.slice(0, at + 1)}…${id.slice(-6)}` : id;
}
