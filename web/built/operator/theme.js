// The theme that the viewer chose, before anything is drawn.
try {
  const theme = localStorage.getItem('rookery.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {}
