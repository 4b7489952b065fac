// What the server says about itself, which it writes into the page.

import { metaOf } from './meta.ts'

/** Days end at midnight UTC. */
function isOver(day: string): boolean {
  return day !== '' && Date.parse(`${day}T23:59:59Z`) < Date.now()
}

export const face = {
  name: metaOf('name') || 'Rookery',
  description: metaOf('description'),
  /** A path of this origin; empty without a picture. */
  picture: metaOf('picture'),
  /** The same, of a wide picture above the pages where people join. */
  header: metaOf('header'),
  /** A notice for everybody; empty without one, and after its last day. */
  announcement: isOver(metaOf('announcement-ends')) ? '' : metaOf('announcement'),
  /** Which texts there are: `rules`, `privacy`. */
  pages: metaOf('pages').split(' ').filter(Boolean),
}

/** The accent colour of the server. */
export function applyColor(): void {
  const [light, dark] = metaOf('color').split(' ')
  if (!light || !dark) return
  const { style } = document.documentElement
  style.setProperty('--accent', `light-dark(${light}, ${dark})`)
  style.setProperty('--accent-hover', `color-mix(in srgb, var(--accent) 80%, var(--ink))`)
  style.setProperty('--accent-ground', `color-mix(in srgb, var(--accent) 8%, var(--surface))`)
  style.setProperty('--on-accent', 'light-dark(#ffffff, #131416)')
}
