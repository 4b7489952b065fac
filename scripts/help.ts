// The help of the web client: the chapter of the guide for members, which markdown-it renders as it does for the guide. So every
// server has it, with or without the guide. Its blocks (a heading, a paragraph, an item of a list) are translated one by one, as
// Markdown, in catalogues of their own, languages/help/*.po. Each language is a script that is loaded when its help is read.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import MarkdownIt from 'markdown-it'
import { parsePo } from 'pofile-ts'
import type { Plugin } from 'vite'
import { LANGUAGES } from '../src/kernel/base/languages/languages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
export const CHAPTER = 'docs/guide/use.md'
/** For people with a shell, and what leads to other pages of the guide. */
const NOT_FOR_MEMBERS = ['From a terminal', 'Read on']
/** What each server calls in its own words, which the client puts into the place of `{posts}`. */
const POSTS = /\b(?:re)?posts?\b/gi
const MODULE = 'virtual:help'
type Token = ReturnType<MarkdownIt['parse']>[number]

export type HelpSection = {
  readonly id: string
  readonly heading: string
  /** Whether the heading has no translation yet; of other blocks the HTML says it. */
  readonly isEnglish?: true
  readonly html: string
}

/** Without pictures, and with the words of links to other pages of the guide, which may not be there. */
function membersRenderer(): MarkdownIt {
  const renderer = new MarkdownIt({ html: false })
  renderer.renderer.rules.image = () => ''
  renderer.renderer.rules.link_open = () => ''
  renderer.renderer.rules.link_close = () => ''
  return renderer
}

const isPicture = ({ type, children }: Token): boolean =>
  type === 'inline' && children!.every((one) => one.type === 'image')
/** On one line, as catalogues have it. */
const textOf = ({ content }: Token): string => content.replaceAll('\n', ' ')

/** The sections for members, as tokens: the heading, and what is below it. */
function sectionsOf(markdown: string): { heading: string; tokens: Token[] }[] {
  const sections: { heading: string; tokens: Token[] }[] = []
  const all = new MarkdownIt({ html: false }).parse(markdown, {})
  for (const [i, token] of all.entries()) {
    if (token.type === 'heading_open' && token.tag === 'h2') {
      sections.push({ heading: textOf(all[i + 1]!), tokens: [] })
    }
    sections.at(-1)?.tokens.push(token)
  }
  return sections
    .filter(({ heading }) => !NOT_FOR_MEMBERS.includes(heading))
    .map(({ heading, tokens }) => {
      // Behind the heading; a picture goes with the paragraph around it.
      const shown = tokens.filter(
        (_, i) => i > 2 && !tokens.slice(i - 1, i + 2).some((near) => isPicture(near)),
      )
      return { heading, tokens: shown }
    })
}

const chapter = (): string => readFileSync(join(root, CHAPTER), 'utf8')

/** What is translated of the chapter: each block once, as Markdown. */
export const helpBlocks = (markdown = chapter()): string[] => [
  ...new Set(
    sectionsOf(markdown).flatMap(({ heading, tokens }) => [
      heading,
      ...tokens.filter(({ type }) => type === 'inline').map(textOf),
    ]),
  ),
]

export const helpCatalogue = (code: string): string => join(root, 'languages/help', `${code}.po`)

/** The translations of the blocks into a language. */
export function readHelp(code: string): Map<string, string> {
  const file = helpCatalogue(code)
  const items = existsSync(file) ? parsePo(readFileSync(file, 'utf8')).items : []
  return new Map(items.map(({ msgid, msgstr }) => [msgid, msgstr[0] ?? '']))
}

/** The sections in a language; without translations in English. A block without one is in English too, and says so. */
export function helpSections(
  translations?: ReadonlyMap<string, string>,
  markdown = chapter(),
): HelpSection[] {
  const renderer = membersRenderer()
  return sectionsOf(markdown).map(({ heading, tokens }) => {
    for (const [i, token] of tokens.entries()) {
      if (token.type !== 'inline') continue
      const translation = translations?.get(textOf(token))
      token.children = renderer.parseInline(translation || textOf(token), {})[0]!.children
      if (translation) continue
      for (const one of token.children!) {
        if (one.type === 'text') one.content = inWordsOfServer(one.content)
      }
      if (!translations) continue
      // The paragraph of an item of a tight list is not shown.
      const around = tokens[i - 1]!.hidden ? tokens[i - 2]! : tokens[i - 1]!
      around.attrSet('lang', 'en')
      around.attrSet('dir', 'ltr')
    }
    const translated = translations?.get(heading)
    return {
      id: heading.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
      heading: translated || inWordsOfServer(heading),
      ...(translations && !translated && { isEnglish: true as const }),
      html: renderer.renderer.render(tokens, {}, {}),
    }
  })
}

const inWordsOfServer = (text: string): string => text.replace(POSTS, '{$&}')

/** `import { IN } from 'virtual:help'`, and of each language what `IN` loads. */
export const helpPlugin = (): Plugin => ({
  name: 'help',
  resolveId: (id) => (id.startsWith(MODULE) ? `\0${id}` : undefined),
  load(id) {
    if (!id.startsWith(`\0${MODULE}`)) return undefined
    const code = id.slice(`\0${MODULE}/`.length)
    if (code === '') {
      const languages = LANGUAGES.map(({ code }) => `'${code}': () => import('${MODULE}/${code}')`)
      return `export const IN = { ${languages.join(', ')} }`
    }
    const sections = helpSections(code === 'en' ? undefined : readHelp(code))
    return `export const SECTIONS = ${JSON.stringify(sections)}`
  },
})
