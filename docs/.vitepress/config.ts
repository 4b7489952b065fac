// The guide as a site: `npm run docs` builds it, and the front door serves it at /docs/guide. The pages are the Markdown files of
// this repository; this file adds the navigation.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { OUTSIDE } from './outside.ts'

const QUICK_STARTS = fileURLToPath(new URL('../../examples/quick-start/', import.meta.url))
const IS_QUICK_START = /examples\/quick-start\/[\w-]+\.ts$/

const page = (text: string, link: string) => ({ text, link: `/${link}` })

const USE = [
  page('Join and post', 'guide/use'),
  page('Your account and your data', 'accounts'),
  page('What a download has', 'archive'),
  page('Moderation for members', 'moderation'),
]
const BUILD = [
  page('Quick starts', 'guide/build'),
  page('Client library', 'client'),
  page('App API', 'app-api'),
  page('Hub', 'hub'),
  page('Sign in', 'sign-in'),
  page('Mini apps', 'mini-apps'),
  page('Snaps', 'snaps'),
  page('Fork of a live network', 'fork'),
  page('Keys for apps', 'keys'),
  page('Client platform', 'platform'),
  page('Names', 'registry'),
  page('Export and SQL', 'export'),
  page('Tables of an export', 'export-tables'),
  page('Readers of exports', 'readers'),
  page('Recipes for analysts', 'recipes'),
  page('Published clients', 'guide/clients'),
  page('Errors', 'errors'),
]
const RUN = [
  page('The first hour', 'guide/run'),
  page('Deploying', 'deploying'),
  page('Operating', 'operating'),
  page('E-mail', 'mail'),
  page('Settings', 'configuration'),
  page('From one process to many', 'operators-guide'),
  page('PostgreSQL', 'postgresql'),
  page('Cluster', 'cluster'),
  page('Mirror', 'mirror'),
  page('Accounts from a chain', 'chain'),
  page('Security', 'SECURITY'),
  page('Changelog', 'CHANGELOG'),
]
const UNDERSTAND = [
  page('How a message travels', 'guide/understand'),
  page('Architecture', 'ARCHITECTURE'),
  page('Performance', 'performance'),
  page('Translating', 'translating'),
  page('The deployed network', 'deployed'),
  page('What is known of sources', 'mirror-sources'),
  page('Power badges', 'power-badges'),
  page('Glossary', 'glossary'),
  page('Contributing', 'CONTRIBUTING'),
  page('Decisions', 'decisions/README'),
]

/** A link between files of the repository as a link between pages: the files of docs/ are beside those of the root. */
const pageLink = (href: string): string =>
  href
    .replace(/^docs\//, './')
    .replace(/^\.\.\/README\.md(#.*)?$/, './guide/clients.md')
    .replace(/^(?:\.\/)?decisions\/README\.md/, './decisions/README.md')
    .replace(/^\.\.\/((?:\.\.\/)*[A-Z]+\.md)/, './$1')
    // No id of a heading begins with a digit.
    .replace(/#(\d)/, '#_$1')

export default defineConfig({
  title: 'Rookery',
  description: 'A social network that one person can run',
  base: '/docs/guide/',
  srcDir: '..',
  srcExclude: [
    'test/**',
    'fixtures/**',
    'web/**',
    'contracts/**',
    'examples/**',
    'release/**',
    'README.md',
    '.github/**',
  ],
  rewrites: { 'docs/:path*': ':path*' },
  cleanUrls: true,
  lastUpdated: false,
  // The server sends its own policy; no page loads anything from elsewhere.
  head: [['meta', { name: 'robots', content: 'noindex' }]],
  ignoreDeadLinks: [OUTSIDE],
  vite: {
    plugins: [
      {
        // Pages above this directory import Vue when they are rendered; it is installed here and nowhere above.
        name: 'vue-of-the-builder',
        enforce: 'pre',
        resolveId: (id, _importer, options) =>
          options?.ssr && /^vue($|\/)/.test(id) ? { id, external: true } : undefined,
      },
    ],
  },
  markdown: {
    config(md) {
      // Links to sources stay words: a site has no sources beside it.
      const open = md.renderer.rules.link_open
      const close = md.renderer.rules.link_close
      // A program that a paragraph names is shown below it.
      md.core.ruler.push('programs', (state) => {
        for (let i = state.tokens.length - 1; i >= 0; i--) {
          const links = state.tokens[i]!.children?.map((token) => token.attrGet('href') ?? '') ?? []
          const program = links.find((href) => IS_QUICK_START.test(href))
          if (program === undefined || state.tokens[i + 1]?.type !== 'paragraph_close') continue
          const fence = new state.Token('fence', 'code', 0)
          fence.info = 'ts'
          fence.markup = '```'
          fence.content = readFileSync(QUICK_STARTS + basename(program), 'utf8')
          state.tokens.splice(i + 2, 0, fence)
        }
      })
      // Braces in code are no expressions of a page.
      md.renderer.rules.code_inline = (tokens, index) =>
        `<code v-pre>${md.utils.escapeHtml(tokens[index]!.content)}</code>`
      let isOutside = false
      md.renderer.rules.link_open = (tokens, index, options, env, self) => {
        const href = tokens[index]!.attrGet('href') ?? ''
        isOutside = OUTSIDE.test(href)
        tokens[index]!.attrSet('href', pageLink(href))
        if (isOutside) return '<code>'
        return open
          ? open(tokens, index, options, env, self)
          : self.renderToken(tokens, index, options)
      }
      md.renderer.rules.link_close = (tokens, index, options, env, self) => {
        if (isOutside) return '</code>'
        return close
          ? close(tokens, index, options, env, self)
          : self.renderToken(tokens, index, options)
      }
    },
  },
  themeConfig: {
    nav: [
      page('Use', 'guide/use'),
      page('Build', 'guide/build'),
      page('Run', 'guide/run'),
      page('Understand', 'guide/understand'),
      { text: 'API reference', link: '/../', target: '_self' },
    ],
    sidebar: [
      { text: 'Use', items: USE },
      { text: 'Build', items: BUILD },
      { text: 'Run', items: RUN },
      { text: 'Understand', items: UNDERSTAND },
    ],
    search: { provider: 'local' },
    outline: [2, 3],
  },
})
