/** Text that is already HTML. Only `html` creates it, so that all other text in a page is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | false | undefined | readonly Content[];

/** `` html`<p>${anything}</p>` ``: values are escaped, unless they are HTML already. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = parts[0] as string;
  values.forEach((value, i) => {
    text += rendered(value) + (parts[i + 1] as string);
  });
  return new Html(text);
}

function rendered(value: Content): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'object') return value.map(rendered).join('');
  return value === undefined || value === false ? '' : String(value);
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] as string);
}

/** One line of the contract's prose: text with `code` in it. */
export function phrase(text: string): Html {
  const pieces = text.split(/`([^`]+)`/);
  return html`${pieces.map((piece, i) => (i % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

/** Prose with blank lines between its paragraphs. */
export function prose(text: string): Html {
  return html`${text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => html`<p>${phrase(paragraph)}</p>`)}`;
}
