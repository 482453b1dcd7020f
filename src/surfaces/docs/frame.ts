import { type Content, type Html, html } from './html.ts';

export interface Frame {
  product: string;
  version: string;
  /** Title of the page. */
  title: string;
  description: string;
  /** Name of the entries that the navigation filters. */
  filters: string;
  nav: Content;
  main: Content;
  style: Html;
  script: Html;
}

/** The frame of the reference and the guides. */
export function frame({
  product,
  version,
  title,
  description,
  filters,
  nav,
  main,
  style,
  script,
}: Frame): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a href="#content"><strong>${product}</strong> API</a><a class="menu" href="#nav">Menu</a></header>
<nav id="nav" aria-label="Documentation">
<p class="brand"><a href="#content"><strong>${product}</strong> API <small>${version}</small></a><a class="close" href="#content">Close</a></p>
<p class="filter" hidden><label for="filter">Filter</label><input id="filter" type="search" placeholder="Filter ${filters}" autocomplete="off" spellcheck="false"><output for="filter"></output></p>
${nav}
</nav>
<main id="content" tabindex="-1">
${main}
</main>
<script>${script}</script>
</body>
</html>
`.text;
}

/** A small dock with a ship in it. */
const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='%230b6b8a'/><path d='M5 9v16h22V9' fill='none' stroke='white' stroke-width='3'/><path d='M9 15h14l-3 6h-8z' fill='white'/></svg>";
