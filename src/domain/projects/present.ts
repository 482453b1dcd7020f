import type { ProjectRow } from '../../platform/database/queries/projects.ts';

export function presentProject({
  isDefault: _isDefault,
  ...project
}: ProjectRow): Omit<ProjectRow, 'isDefault'> {
  return project;
}
