import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useQuery } from '../api/index.ts';
import { partFrom } from '../api/parts.ts';
import { session } from '../api/session.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { classes } from '../kit/classes.ts';
import { CloseIcon, MenuIcon, SearchIcon } from '../kit/icons.tsx';
import { CrumbsPlace } from '../kit/page.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { Inside } from './inside.tsx';
import { rememberProject } from './last-project.ts';
import { NoPassword } from './no-password.tsx';
import { Rail } from './rail.tsx';
import css from './shell.module.css';
import { ThemeMenu } from './theme.tsx';

const Search = partFrom(() => import('./search.tsx'), 'Search');

const onMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The frame of every page: navigation, breadcrumbs, search, theme and connection state. */
export function Shell() {
  const { projectId } = useParams({ strict: false });
  // Created before the first render, so that pages render their breadcrumbs into it without a second pass.
  const [crumbs] = useState(() => document.createElement('div'));
  const [railOpen, setRailOpen] = useState(false);
  const [searching, setSearching] = useState(false);
  const known = useQuery(session);
  const navigate = useNavigate();
  const ended = known.data?.signedIn === false;
  useEffect(() => {
    // Signed out in another tab or by the server; a sign-out in this tab already navigates.
    const here = hereOf(location);
    if (ended && !here.startsWith('/sign-in'))
      void navigate({ to: '/sign-in', search: { to: here }, replace: true });
  }, [ended, navigate]);
  useEffect(() => {
    if (projectId !== undefined) rememberProject(projectId);
  }, [projectId]);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setSearching(true);
    };
    globalThis.addEventListener('keydown', press);
    return () => globalThis.removeEventListener('keydown', press);
  }, []);
  return (
    <div className={css.shell}>
      <a href="#page" className={css.skip}>
        Skip to content
      </a>
      <aside className={classes(css.rail, railOpen && css.open)}>
        <Rail projectId={projectId} onLeave={() => setRailOpen(false)} />
      </aside>
      <div className={css.side}>
        <header className={css.bar}>
          <IconButton
            label={railOpen ? 'Close menu' : 'Menu'}
            aria-expanded={railOpen}
            className={css.menu}
            onClick={() => setRailOpen(!railOpen)}
          >
            {railOpen ? <CloseIcon /> : <MenuIcon />}
          </IconButton>
          <div ref={(place) => place?.append(crumbs)} className={css.crumbs} />
          <Button className={css.search} aria-label="Search" onClick={() => setSearching(true)}>
            <SearchIcon />
            <span className={css.searchWord}>Search</span>
            <kbd className={css.keys}>{onMac ? '⌘K' : 'Ctrl K'}</kbd>
          </Button>
          <ThemeMenu />
        </header>
        <ConnectionBanner />
        <NoPassword />
        <main id="page" className={css.page} tabIndex={-1}>
          <CrumbsPlace value={crumbs}>
            <Inside />
          </CrumbsPlace>
        </main>
      </div>
      {searching && <Search projectId={projectId} onClose={() => setSearching(false)} />}
    </div>
  );
}

/** The current path and query as the router expects them, without the base path. */
function hereOf({ pathname, search }: Location): string {
  return pathname.replace(/^\/console(?=\/|$)/, '') + search;
}
