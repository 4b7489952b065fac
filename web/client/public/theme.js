// The theme that the viewer chose, before anything is drawn, and the colour that a browser gives to what is around the page.
const root = document.documentElement
try {
  const theme = localStorage.getItem('rookery.theme')
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
} catch {}
const bars = document.querySelectorAll('meta[name="theme-color"]')
const follow = () => {
  const chosen = root.dataset.theme ?? (root.dataset.tone === 'dark' ? 'dark' : undefined)
  for (const bar of bars) {
    bar.dataset.of ??= bar.media.includes('dark') ? 'dark' : 'light'
    const { of } = bar.dataset
    if (chosen === undefined) bar.media = `(prefers-color-scheme: ${of})`
    else bar.media = chosen === of ? 'all' : 'not all'
  }
}
follow()
new MutationObserver(follow).observe(root, { attributeFilter: ['data-theme'] })
