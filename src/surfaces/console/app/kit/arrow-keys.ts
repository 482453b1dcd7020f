import type { KeyboardEvent } from 'react';

/**
 * Arrows go from link to link in rows of them, Tab from row to row. `name` is the data attribute that says which link of its row
 * one is: up and down go to the same one, or to the first.
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
