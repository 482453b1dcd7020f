import { html } from './html.ts';

/** Optional script: the page is complete without it. */
export const script = html`
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const nav = document.getElementById('nav');
  const links = all('li a', nav);
  const targetOf = (link) => document.getElementById(decodeURIComponent(link.hash.slice(1)));

  // Behind a proxy that ends TLS the service cannot know the scheme; the browser does.
  for (const base of all('.base')) {
    const shown = new URL(base.textContent);
    if (shown.host === location.host) base.textContent = location.origin + shown.pathname;
  }

  // The clipboard exists only where the page came over TLS or from this machine.
  const copy = (text) => navigator.clipboard?.writeText(text).then(() => true, () => false) ?? false;
  for (const code of all('pre.copy')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      const copied = await copy(code.textContent);
      button.textContent = copied ? 'Copied' : 'Press Ctrl+C';
      if (!copied) getSelection().selectAllChildren(code);
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    code.before(button);
  }

  const box = nav.querySelector('.filter');
  const input = box.querySelector('input');
  const output = box.querySelector('output');
  box.hidden = false;
  const entries = links.map((link) => ({
    item: link.parentElement,
    text: (link.textContent + ' ' + link.hash + ' ' + (targetOf(link)?.querySelector('.route')?.textContent ?? '')).toLowerCase(),
  }));
  const groups = all('details', nav).map((group) => ({ group, open: group.open }));
  const filter = () => {
    const words = input.value.toLowerCase().split(' ').filter(Boolean);
    let count = 0;
    for (const { item, text } of entries) {
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) count++;
    }
    for (const entry of groups) {
      entry.group.hidden = all('li:not([hidden])', entry.group).length === 0;
      entry.group.open = words.length > 0 || entry.open;
    }
    output.textContent = words.length === 0 ? '' : count === 0 ? 'No results' : count + ' of ' + entries.length;
  };
  input.addEventListener('input', filter);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') entries.find(({ item }) => !item.hidden)?.item.firstElementChild.click();
    if (event.key === 'Escape') { input.value = ''; filter(); }
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input,textarea')) return;
    event.preventDefault();
    input.focus();
  });

  // The first of the entries that are being read is the current one.
  const byTarget = new Map(links.map((link) => [targetOf(link), link]));
  const reading = new Set();
  let current;
  const watch = new IntersectionObserver((changes) => {
    for (const { isIntersecting, target } of changes) reading[isIntersecting ? 'add' : 'delete'](target);
    const link = [...byTarget].find(([target]) => reading.has(target))?.[1];
    if (!link || link === current) return;
    current?.removeAttribute('aria-current');
    current = link;
    current.setAttribute('aria-current', 'true');
    const { top, bottom } = current.getBoundingClientRect();
    if (top < 90 || bottom > innerHeight) nav.scrollTop += top - innerHeight / 2;
  }, { rootMargin: '-10% 0px -80% 0px' });
  for (const target of byTarget.keys()) if (target) watch.observe(target);

  // Anchors may point into something folded; paper shows everything.
  const reveal = () => {
    for (let at = document.getElementById(decodeURIComponent(location.hash.slice(1))); at; at = at.parentElement)
      if (at.tagName === 'DETAILS') at.open = true;
  };
  addEventListener('hashchange', reveal);
  reveal();
  addEventListener('beforeprint', () => { for (const part of all('main details:not([open])')) part.open = true; });
})();
`;
