// Before anything is drawn: the theme that the reader chose, if any.
try {
  const chosen = localStorage.getItem('drydock-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be closed; the system's theme will do.
}
