import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parse, TYPE } from '@formatjs/icu-messageformat-parser'
import MarkdownIt from 'markdown-it'
import { parseAst } from 'vite'
import { catalogueFile, FOLDERS } from '../scripts/catalogues.ts'
import {
  DECLARED_FILE,
  declaredModule,
  LIVE_SETTINGS_FILE,
  liveSettingsModule,
  REASONS_FILE,
  reasonsModule,
} from '../scripts/declared.ts'
import { helpBlocks, helpCatalogue, helpSections, readHelp } from '../scripts/help.ts'
import { keyOf, messagesIn, messagesPlugin, readCatalogue } from '../scripts/messages.ts'
import { LANGUAGES } from '../src/kernel/base/languages/languages.ts'
import { JOB_WORDS } from '../web/operator/job-words.ts'

/** Words of the server (web/shared/words.ts), which languages with cases have in their own forms. */
const VOCABULARY = ['post', 'posts', 'verb', 'repost', 'reposts', 'reposted', 'aPost']
const isOfServer = (name: string) =>
  VOCABULARY.includes(name) || VOCABULARY.includes(name.charAt(0).toLowerCase() + name.slice(1))
/** Rooms for people who write programs stay in English. */
const FOR_PROGRAMMERS = /^web\/client\/(?:snaps|miniapps)\/room\//

// biome-ignore lint/suspicious/noExplicitAny: trees of messages and of code
type Tree = any

type Shape = {
  values: Set<string>
  tags: Set<string>
  plurals: { name: string; categories: string[] }[]
}
function shapeOf(message: string): Shape {
  const shape: Shape = { values: new Set(), tags: new Set(), plurals: [] }
  const read = (nodes: Tree[]): void => {
    for (const node of nodes) {
      if (node.type === TYPE.tag) {
        shape.tags.add(node.value)
        read(node.children)
      } else if (node.type !== TYPE.literal && node.type !== TYPE.pound)
        shape.values.add(node.value)
      if (node.options) {
        if (node.type === TYPE.plural) {
          shape.plurals.push({ name: node.value, categories: Object.keys(node.options) })
        }
        for (const option of Object.values<Tree>(node.options)) read(option.value)
      }
    }
  }
  read(parse(message))
  return shape
}

const found = messagesIn(...FOLDERS)

describe('the messages of the pages', () => {
  it('each message is given the values that it names, and no other', () => {
    const faults = found.flatMap(({ file, line, message, values }) => {
      const shape = shapeOf(message)
      const wanted = [...shape.values, ...shape.tags].filter((name) => !isOfServer(name))
      if (values === undefined) return [`${file}:${line} values are not written out`]
      const missing = wanted.filter((name) => !values.includes(name))
      const unknown = values.filter((name) => !wanted.includes(name))
      return missing.length + unknown.length > 0
        ? [`${file}:${line} ${message}: missing ${missing}, not in it ${unknown}`]
        : []
    })
    assert.deepEqual(faults, [])
  })

  it('every language has every message, in its plural forms, and none that no code uses', () => {
    const used = new Map(
      found.map(({ message, context }) => [keyOf(message, context), message] as const),
    )
    for (const { code } of LANGUAGES.filter(({ code }) => code !== 'en')) {
      const catalogue = readCatalogue(code)
      const faults: string[] = []
      for (const message of catalogue.keys())
        if (!used.has(message)) faults.push(`unused: ${message}`)
      const { pluralCategories } = new Intl.PluralRules(code).resolvedOptions()
      for (const [key, message] of used) {
        const translation = catalogue.get(key)
        if (!translation) {
          faults.push(`missing: ${message}`)
          continue
        }
        const [wanted, has] = [shapeOf(message), shapeOf(translation)]
        const names = (shape: Shape) =>
          [...shape.values, ...shape.tags]
            .filter((name) => !isOfServer(name))
            .sort()
            .join()
        if (names(wanted) !== names(has)) faults.push(`other values: ${message} / ${translation}`)
        for (const { name, categories } of has.plurals) {
          const lacking = pluralCategories.filter((one) => !categories.includes(one))
          if (lacking.length > 0) faults.push(`{${name}} lacks ${lacking}: ${translation}`)
        }
      }
      assert.deepEqual(faults, [], catalogueFile(code))
    }
  })

  it('a message with a context has a place of its own, and the page does not carry the context', () => {
    const file = 'web/shared/moderation-statistics.tsx'
    const id = `${process.cwd()}/${file}`
    const { transform } = messagesPlugin() as { transform: Tree }
    const { code } = transform(readFileSync(file, 'utf8'), id)
    const placesOf = (text: string) =>
      [...code.matchAll(new RegExp(`t\\((\\d+), "${text}"`, 'g'))].map(([, place]) => place)
    const all = found.filter((one) => one.file === file && one.context)
    assert.ok(all.length > 1)
    for (const { context = '' } of all) assert.ok(!code.includes(context), context)
    // Who acted, alone and in a sentence, which languages decline.
    const forms = all.filter(({ message }) => message === 'the operator')
    assert.equal(new Set(placesOf('the operator')).size, 2)
    const german = readCatalogue('de')
    const inGerman = forms.map(({ message, context }) => german.get(keyOf(message, context)))
    assert.equal(new Set(inGerman).size, 2)
    // “Open” of a button elsewhere is another message.
    const elsewhere = 'web/client/miniapps/screens/app-row.tsx'
    const button = transform(readFileSync(elsewhere, 'utf8'), `${process.cwd()}/${elsewhere}`)
    const [place] = placesOf('Open')
    assert.match(button.code, /t\(\d+, "Open"/)
    assert.ok(place)
    assert.doesNotMatch(button.code, new RegExp(`t\\(${place}, "Open"`))
  })

  it('each job has words of its own, which nothing else is called', () => {
    const words = Object.values(JOB_WORDS)
    const jobs = 'web/operator/job-words.ts'
    const others = found.filter(({ file }) => file !== jobs).map(({ message }) => message)
    assert.deepEqual(
      words.filter((one) => others.includes(one)),
      [],
    )
    assert.equal(new Set(words).size, words.length)
  })

  it('pages say nothing that is no message: no text stands in the code outside of them', () => {
    const faults = globSync('web/**/*.tsx')
      .filter((file) => !/^web\/built|\.test\./.test(file) && !FOR_PROGRAMMERS.test(file))
      .sort()
      .flatMap((file) => textsOutside(readFileSync(file, 'utf8'), file))
    assert.deepEqual(faults, [])
  })
})

describe('what is declared elsewhere', () => {
  it('the pages have a message for every text that settings and calls declare now', () => {
    const files = [
      [DECLARED_FILE, declaredModule()],
      [LIVE_SETTINGS_FILE, liveSettingsModule()],
      [REASONS_FILE, reasonsModule()],
    ] as const
    for (const [file, made] of files) {
      assert.ok(
        readFileSync(file, 'utf8') === made,
        `${file} is stale: npm run generate -- languages`,
      )
    }
  })
})

const markdown = new MarkdownIt({ html: false })
/** What a translation of Markdown keeps: codes, addresses, words that stand out. */
const marksOf = (text: string): string =>
  markdown
    .parseInline(text, {})[0]!
    .children!.filter(({ type }) => /^(?:code_inline|link_open|image|strong_open)$/.test(type))
    .map(({ type, content, attrs }) =>
      [type, type === 'image' ? '' : content, ...(attrs ?? [])].join(' '),
    )
    .sort()
    .join('\n')
const withoutCodes = (text: string): string => text.replace(/`[^`]*`/g, '')

describe('the help in other languages', () => {
  const blocks = helpBlocks()
  const others = LANGUAGES.map(({ code }) => code).filter((code) => code !== 'en')
  /** What pages call what the help names in quotation marks. */
  const labelsOf = (text: string) =>
    [...withoutCodes(text).matchAll(/"([^"]+)"/g)].map(([, label]) => label!)

  it('every language has every block of the help, with its codes, links and bold words, and none that is no more', () => {
    assert.ok(blocks.length > 30)
    for (const code of others) {
      const translations = readHelp(code)
      const faults = [...translations.keys()].filter((block) => !blocks.includes(block))
      for (const block of blocks) {
        const translation = translations.get(block)
        if (!translation) faults.push(`missing: ${block}`)
        else if (marksOf(block) !== marksOf(translation)) faults.push(`other marks: ${translation}`)
        else if (/[{}]/.test(withoutCodes(translation)))
          faults.push(`a word of the server: ${translation}`)
      }
      assert.deepEqual(faults, [], helpCatalogue(code))
      const sections = helpSections(translations)
      assert.doesNotMatch(JSON.stringify(sections), /isEnglish|lang=/)
      assert.deepEqual(
        sections.map(({ id }) => id),
        helpSections().map(({ id }) => id),
      )
    }
  })

  it('what the help names in quotation marks is called so on the pages, in each language', () => {
    const onPages = new Set(found.map(({ message }) => message))
    const labels = blocks.flatMap(labelsOf)
    assert.ok(labels.length > 8)
    assert.deepEqual(
      labels.filter((label) => !onPages.has(label)),
      [],
    )
    for (const code of others) {
      const [catalogue, help] = [readCatalogue(code), readHelp(code)]
      const names = (label: string) => {
        const same = found.filter(({ message }) => message === label)
        return new Set(same.map((one) => catalogue.get(keyOf(label, one.context)) ?? ''))
      }
      const faults = blocks.flatMap((block) =>
        labelsOf(block)
          .filter((label) => ![...names(label)].some((name) => help.get(block)?.includes(name)))
          .map((label) => `${label} (${[...names(label)]}): ${help.get(block)}`),
      )
      assert.deepEqual(faults, [], helpCatalogue(code))
    }
  })

  it('a block without a translation is in English and says so, in the words of the server', () => {
    const chapter =
      '## Posts\n\nA post.\n\n- **One** post\n- Two\n\n![A picture](a.webp)\n\n## Read on\n\nMore.\n'
    const help = (...translations: [string, string][]) =>
      helpSections(new Map(translations), chapter)
    assert.deepEqual(helpSections(undefined, chapter), [
      {
        id: 'posts',
        heading: '{Posts}',
        html: '<p>A {post}.</p>\n<ul>\n<li><strong>One</strong> {post}</li>\n<li>Two</li>\n</ul>\n',
      },
    ])
    assert.deepEqual(help(['Posts', 'Beiträge'], ['Two', '`Zwei`']), [
      {
        id: 'posts',
        heading: 'Beiträge',
        html: '<p lang="en" dir="ltr">A {post}.</p>\n<ul>\n<li lang="en" dir="ltr"><strong>One</strong> {post}</li>\n<li><code>Zwei</code></li>\n</ul>\n',
      },
    ])
    assert.equal(help()[0]!.isEnglish, true)
  })
})

/** Where the server writes for people. */
const WRITING = ['features', 'kernel/http']
/** What people who write programs or operate read: in English. */
const IN_ENGLISH = /^src\/kernel\/http\/translator\.ts$/

describe('what the server writes', () => {
  const files = WRITING.flatMap((folder) => globSync(`src/${folder}/**/*.ts`))
    .filter((file) => !/\.test\./.test(file))
    .sort()

  it('pages that the server writes have no text in their HTML that is no message', () => {
    const faults = files.flatMap((file) => wordsInHtml(readFileSync(file, 'utf8'), file))
    assert.deepEqual(faults, [])
    // What it finds.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
    const found = wordsInHtml('html`<p title="So">${x} Hello</p><a href="to">${y}</a>`', 'x.ts')
    assert.deepEqual(found, ['x.ts: title="So"', 'x.ts: Hello'])
  })

  it('dates and numbers of the server are written by the language of who reads them', () => {
    const faults = files.filter(
      (file) =>
        !IN_ENGLISH.test(file) &&
        /Intl\.\w+\(\s*['"`]|toLocale\w*String\(/.test(readFileSync(file, 'utf8')),
    )
    assert.deepEqual(faults, [])
  })
})

/** Texts of templates named `html`, and of their attributes that are read out. */
function wordsInHtml(code: string, file: string): string[] {
  if (!code.includes('html`')) return []
  const faults: string[] = []
  const visit = (node: Tree): void => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one)
      return
    }
    if (typeof node?.type !== 'string') return
    if (node.type === 'TaggedTemplateExpression' && node.tag.name === 'html') {
      const html = node.quasi.quasis.map((one: Tree) => one.value.cooked).join('|')
      for (const [whole, , text] of html.matchAll(/ (title|alt|aria-label)="([^"|]+)"/g))
        if (HAS_WORD.test(text!)) faults.push(`${file}: ${whole.trim()}`)
      for (const text of html.replace(/<[^>]*>/g, '|').split('|'))
        if (HAS_WORD.test(text)) faults.push(`${file}: ${text.trim()}`)
    }
    for (const value of Object.values(node)) if (typeof value === 'object') visit(value)
  }
  visit(parseAst(code, { lang: 'ts', sourceType: 'module' } as never))
  return faults
}

const HAS_WORD = /\p{L}{2}/u
/** Attributes that are read out or shown. */
const SHOWN = new Set([
  'aria-label',
  'alt',
  'placeholder',
  'title',
  'label',
  'help',
  'heading',
  'text',
  'what',
  'failed',
  'hint',
  'none',
  'confirm',
  'yes',
])
/** A sentence, or a word that begins one. */
const SENTENCE = /^[“"(]?\p{Lu}\p{Ll}+(?:[ ,.!?…’:]|$)|\p{Ll}{2,} \p{Ll}{2,} \p{Ll}{2,}/u
const CALLS = new Set(['t', 'rich', 'msg'])
/** Whose literals are names and not words; what an owner signs is in English. */
const NOT_SHOWN_CALLS = new Set(['metaOf', 'URL', 'RegExp', 'Error', 'TypeError', 'ownerRequest'])
/** Variables and properties whose literals are names. */
const NOT_SHOWN_NAMES = new Set(['queryKey', 'className', 'command'])
/** Products. */
const PRODUCTS = new Set(['Coinbase Wallet', 'Trust Wallet'])

function textsOutside(code: string, file: string): string[] {
  const faults: string[] = []
  const at = (node: Tree, text: string) => {
    const line = code.slice(0, node.start).split('\n').length
    faults.push(`${file}:${line} ${text.replace(/\s+/g, ' ').trim()}`)
  }
  const textOf = (node: Tree): string | undefined =>
    node?.type === 'Literal' && typeof node.value === 'string'
      ? node.value
      : node?.type === 'TemplateLiteral'
        ? node.quasis.map((one: Tree) => one.value.cooked).join(' ')
        : undefined
  const visit = (node: Tree, isName: boolean): void => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one, isName)
      return
    }
    if (
      typeof node?.type !== 'string' ||
      /^TS(?!As|Non|Satisfies)|^Import|^Export(?:All)/.test(node.type)
    )
      return
    if (node.type === 'CallExpression' && CALLS.has(node.callee.name)) {
      // The values; a context behind them is for translators.
      visit(node.arguments.slice(1, 2), false)
      return
    }
    if (
      (node.type === 'CallExpression' || node.type === 'NewExpression') &&
      NOT_SHOWN_CALLS.has(node.callee.name)
    )
      return
    if (NOT_SHOWN_NAMES.has(node.key?.name ?? node.id?.name)) return
    if (node.type === 'JSXText' && HAS_WORD.test(node.value)) at(node, node.value)
    if (node.type === 'JSXAttribute') {
      const name = node.name.name as string
      if (NOT_SHOWN_NAMES.has(name)) return
      const value =
        node.value?.type === 'JSXExpressionContainer' ? node.value.expression : node.value
      const text = textOf(value)
      if (text !== undefined) {
        if (SHOWN.has(name) && HAS_WORD.test(text) && !/^https?:/.test(text)) at(node, text)
        return
      }
    }
    const text = textOf(node)
    if (text !== undefined && !isName && SENTENCE.test(text) && !PRODUCTS.has(text)) at(node, text)
    for (const [key, value] of Object.entries<Tree>(node)) {
      if (typeof value === 'object' && value !== null) {
        // Keys of objects and what is compared are names.
        const isOfName =
          (key === 'key' && !node.computed) ||
          (node.type === 'BinaryExpression' && node.operator !== '+')
        visit(value, isOfName)
      }
    }
  }
  visit(parseAst(code, { lang: 'tsx', sourceType: 'module' } as never), false)
  return faults
}
