// The help of the web client: the chapter of the guide for members, which markdown-it renders as it does for the guide. So every
// server has it, with or without the guide.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import MarkdownIt from 'markdown-it'
import type { Plugin } from 'vite'

const CHAPTER = fileURLToPath(new URL('../docs/guide/use.md', import.meta.url))
/** For people with a shell, and what leads to other pages of the guide. */
const NOT_FOR_MEMBERS = ['From a terminal', 'Read on']
/** What each server calls in its own words, which the client puts into the place of `{posts}`. */
const POSTS = /\b(?:re)?posts?\b/gi
const MODULE = 'virtual:help'

export type HelpSection = { readonly id: string; readonly heading: string; readonly html: string }

/** The sections of the chapter. */
export function helpSections(markdown = readFileSync(CHAPTER, 'utf8')): HelpSection[] {
  const renderer = membersRenderer()
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n')
      const id = heading.toLowerCase().replace(/[^a-z0-9]+/g, '-')
      const html = renderer.render(lines.join('\n')).replaceAll('<p></p>\n', '')
      return { id, heading, html: html.replace(POSTS, '{$&}') }
    })
    .filter(({ heading }) => !NOT_FOR_MEMBERS.includes(heading))
}

/** Without pictures, and with the words of links to other pages of the guide, which may not be there. */
function membersRenderer(): MarkdownIt {
  const renderer = new MarkdownIt({ html: false })
  renderer.renderer.rules.image = () => ''
  renderer.renderer.rules.link_open = () => ''
  renderer.renderer.rules.link_close = () => ''
  return renderer
}

/** `import { SECTIONS } from 'virtual:help'` */
export const helpPlugin = (): Plugin => ({
  name: 'help',
  resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
  load: (id) =>
    id === `\0${MODULE}` ? `export const SECTIONS = ${JSON.stringify(helpSections())}` : undefined,
})
