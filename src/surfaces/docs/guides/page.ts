import { frame } from '../frame.ts';
import { Html, html } from '../html.ts';
import { guideGroups, guideList } from './list.ts';
import { pages } from './pages.ts';

export interface GuideOptions {
  product: string;
  version: string;
  style: Html;
  script: Html;
}

/** All guides as pages, by name. Links are relative, so that they work behind a proxy with its own path. */
export function renderGuides({ product, version, style, script }: GuideOptions): Map<string, string> {
  return new Map(
    guideList.map(({ name }) => {
      const { title, body } = pages[name] as (typeof pages)[string];
      const page = frame({
        product,
        version,
        title: `${title} – ${product}`,
        description: title,
        filters: 'guides',
        nav: navigation(name),
        main: html`<article class="guide">
<header class="top"><h1>${title}</h1></header>
${new Html(body)}
</article>`,
        style,
        script,
      });
      return [name, page];
    }),
  );
}

/** Navigation with the guides and the headings of the current one. */
function navigation(current: string): Html {
  return html`<ul><li><a href="../../docs">API reference</a></li></ul>
${guideGroups.map(
  ({ title, guides }) =>
    html`<details open><summary>${title}</summary><ul>${guides.map((guide) =>
      guide.name === current
        ? html`<li><a href="${guide.name}" aria-current="page">${guide.title}</a></li>${pages[
            current
          ]?.headings.map(({ id, text }) => html`<li class="within"><a href="#${id}">${text}</a></li>`)}`
        : html`<li><a href="${guide.name}">${guide.title}</a></li>`,
    )}</ul></details>`,
)}`;
}
