import type { KeyboardEvent } from 'react';

/**
 * Keyboard navigation in rows of links: left and right move within a row, up and down to the link with the
 * same value of the data attribute `name` in the next row, or to its first link.
 */
export function byArrows(name: string): (event: KeyboardEvent) => void {
  const inNextRow = (cell: HTMLElement, way: 'nextElementSibling' | 'previousElementSibling') => {
    const row = cell.closest('[role="row"]')?.[way];
    const same = `a[data-${name}="${cell.dataset[name]}"]`;
    return row?.querySelector(same) ?? row?.querySelector(`a[data-${name}]`) ?? null;
  };
  return (event) => {
    const cell = (event.target as Element).closest<HTMLElement>(`a[data-${name}]`);
    if (!cell) return;
    const next = {
      ArrowRight: cell.nextElementSibling,
      ArrowLeft: cell.previousElementSibling,
      ArrowDown: inNextRow(cell, 'nextElementSibling'),
      ArrowUp: inNextRow(cell, 'previousElementSibling'),
    }[event.key];
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
  };
}
