import { type ReactNode, useState } from 'react';
import { Code, Json } from '../../kit/code.tsx';
import common from '../../kit/common.module.css';
import { asSchema, type Schema } from '../../kit/form/schema.ts';
import { wholeJson } from '../../kit/json.ts';
import { LimitedList } from '../../kit/limited-list.tsx';
import { bytes } from '../../kit/numbers.ts';
import { StateMark } from '../../kit/state.tsx';
import { TabButtons } from '../../kit/tabs.tsx';
import { textOf } from '../../kit/text.ts';
import { duration } from '../../kit/time.tsx';
import css from './servers.module.css';

interface Result {
  content?: readonly unknown[] | undefined;
  structuredContent?: unknown;
  isError?: boolean | undefined;
  durationMs?: unknown;
  frames?: unknown;
}

type View = 'content' | 'structured' | 'raw';

export function ToolResult({ result, actions }: { result: Result; actions?: ReactNode }) {
  const [chosen, choose] = useState<View>('content');
  const { content = [], structuredContent, isError, durationMs } = result;
  const { sent, received } = (result.frames ?? {}) as { sent?: unknown; received?: unknown };
  const views = [
    ['content', 'Content'],
    ...(structuredContent === undefined ? [] : [['structured', 'Structured']]),
    ['raw', 'Raw'],
  ] as [View, string][];
  const view = views.some(([name]) => name === chosen) ? chosen : 'content';
  return (
    <div className={common.wideColumn}>
      <div className={common.wideRow}>
        <StateMark state={isError ? 'failed' : 'passed'}>
          {isError ? 'the tool reported an error' : 'answered'}
        </StateMark>
        {typeof durationMs === 'number' && <span className={common.soft}>{duration(durationMs)}</span>}
        <TabButtons label="Result view" names={views} chosen={view} choose={choose} />
        {actions}
      </div>
      {view === 'raw' && (
        <div className={css.frames}>
          <div>
            <h3>Sent</h3>
            <Json value={sent} label="message to the server" />
          </div>
          <div>
            <h3>Received</h3>
            <Json value={received} label="message of the server" />
          </div>
        </div>
      )}
      {view === 'structured' && <Json value={structuredContent} label="structured content" />}
      {view === 'content' && <Contents content={content} />}
    </div>
  );
}

/** Content blocks of a tool result, prompt or resource. Untrusted. */
export function Contents({ content }: { content: readonly unknown[] }) {
  if (content.length === 0) return <p className={common.soft}>No content.</p>;
  return (
    <LimitedList items={content} noun="piece of content" many="pieces of content">
      {(block, at) => <Content key={at} block={block} />}
    </LimitedList>
  );
}

/** Image formats that browsers render without running code. */
const pictures = /^image\/(png|jpeg|gif|webp|avif)$/;
/** Maximum base64 length of images that are shown without a click. */
const largestPicture = 4_000_000;

function Content({ block: given }: { block: unknown }) {
  const block = contained(given);
  if (!block) return <Json value={given} label="content" />;
  const { type, text, data, mimeType, uri } = block;
  if (typeof text === 'string') return <Code text={readable(text)} label="text" />;
  if (typeof data === 'string' && type === 'image' && typeof mimeType === 'string' && pictures.test(mimeType))
    if (data.length <= largestPicture) return <Picture source={`data:${mimeType};base64,${data}`} />;
  if (type === 'resource_link' && typeof uri === 'string') return <SafeLink address={uri} />;
  const blob = typeof data === 'string' ? data : block['blob'];
  if (typeof blob === 'string')
    return (
      <p className={common.soft}>
        {textOf(mimeType ?? type, 'bytes')}, {bytes(Math.floor((blob.length * 3) / 4))}, not shown.
      </p>
    );
  return <Json value={block} label="content" />;
}

/** A content block, or the resource embedded in it. */
function contained(block: unknown): Schema | undefined {
  const own = asSchema(block);
  return own?.['type'] === 'resource' ? (asSchema(own['resource']) ?? own) : own;
}

function Picture({ source }: { source: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <p className={common.soft}>Declared as an image but not readable as one.</p>;
  return (
    <img className={css.picture} src={source} alt="Sent by the server" onError={() => setBroken(true)} />
  );
}

const maxLinkLength = 2_000;

/** Links only http and https URLs; shows others as text. */
function SafeLink({ address }: { address: string }) {
  if (address.length > maxLinkLength || !/^https?:\/\//i.test(address))
    return <Code text={address} label="URL" />;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {address}
    </a>
  );
}

/** Indents text that is JSON. */
function readable(text: string): string {
  if (!/^\s*[{[]/.test(text) || text.length > 50_000) return text;
  try {
    return wholeJson(JSON.parse(text));
  } catch {
    return text;
  }
}
