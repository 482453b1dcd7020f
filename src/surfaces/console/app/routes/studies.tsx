import { createRoute } from '@tanstack/react-router';
import { pageFrom } from '../api/parts.ts';
import { studiesSearch, studySearch } from '../pages/studies/address.ts';
import { project } from './root.tsx';

const getParentRoute = () => project;

const studies = createRoute({
  getParentRoute,
  path: 'studies',
  validateSearch: studiesSearch,
  component: pageFrom(() => import('../pages/studies/studies-page.tsx'), 'StudiesPage'),
});

const study = createRoute({
  getParentRoute,
  path: 'studies/$studyId',
  validateSearch: studySearch,
  component: pageFrom(() => import('../pages/studies/study-page.tsx'), 'StudyPage'),
});

const session = createRoute({
  getParentRoute,
  path: 'studies/$studyId/sessions/$sessionId',
  component: pageFrom(() => import('../pages/studies/session/study-session-page.tsx'), 'StudySessionPage'),
});

export const studyRoutes = [studies, study, session] as const;
