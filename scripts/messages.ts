// The texts of the pages, found in the code: for the build, which gives each its place in the catalogues, for the catalogues
// (languages/*.po) and for the tests.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import compile from 'icu-minify/compile'
import { parsePo } from 'pofile-ts'
import { type Plugin, parseAst, type Rolldown } from 'vite'
import { LANGUAGES, PSEUDO } from '../src/kernel/base/languages/languages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const MODULES = /\/web\/shared\/(?:messages\.ts|rich\.tsx)$/
/** What calls them: in the code, and in the build. */
const CALLS: Readonly<Record<string, string>> = { t: 'tAt', rich: 'richAt' }
/** What the server says to people (src/kernel/http/translator.ts). */
const SAY = 'say'
const OF_SERVER = /\/src\//
const HAS_CALL = /\b(?:t|rich|say)\(/
const HAS_IMPORT = /\bimport\(/
const TEXTS = join(root, 'web/shared/texts.ts')

export type Found = {
  readonly file: string
  readonly line: number
  readonly message: string
  /** Which of its meanings, where the English words have several. */
  readonly context: string | undefined
  /** Names of values in the code; undefined where they are not written out. */
  readonly values: readonly string[] | undefined
  readonly start: number
  readonly end: number
  /** Of the context, with the comma before it. */
  readonly contextStart: number
  readonly contextEnd: number
  /** Whether the server says it. */
  readonly isOfServer: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: a tree of any code
type Tree = any

/** The messages of a file, and the places where the functions and other modules are imported. */
function read(code: string, file: string): { found: Found[]; imports: Tree[]; lazy: Tree[] } {
  const found: Found[] = []
  const imports: Tree[] = []
  const lazy: Tree[] = []
  const visit = (node: Tree): void => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one)
      return
    }
    if (typeof node?.type !== 'string') return
    if (node.type === 'ImportExpression') lazy.push(node)
    if (node.type === 'ImportSpecifier' && CALLS[node.imported.name]) imports.push(node)
    if (
      node.type === 'CallExpression' &&
      node.callee.type === 'Identifier' &&
      (CALLS[node.callee.name] || (node.callee.name === SAY && OF_SERVER.test(`/${file}`)))
    ) {
      const [text, values, context] = node.arguments
      if (text?.type === 'Literal' && typeof text.value === 'string') {
        found.push({
          file,
          line: code.slice(0, node.start).split('\n').length,
          message: text.value,
          context: context?.value,
          values: isNone(values) ? [] : namesOf(values),
          start: text.start,
          end: text.end,
          contextStart: values?.end,
          contextEnd: context?.end,
          isOfServer: node.callee.name === SAY,
        })
      } else if (!MODULES.test(`/${file}`)) {
        throw new Error(`${file}: ${code.slice(node.start, node.end)} has no text of its own`)
      }
    }
    for (const value of Object.values(node)) if (typeof value === 'object') visit(value)
  }
  visit(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts', sourceType: 'module' } as never))
  return { found, imports, lazy }
}

/** No values are given. */
const isNone = (values: Tree): boolean =>
  values === undefined || (values.type === 'Identifier' && values.name === 'undefined')

const namesOf = (values: Tree): string[] | undefined =>
  values.type === 'ObjectExpression' && values.properties.every((one: Tree) => one.key)
    ? values.properties.map((one: Tree) => one.key.name ?? one.key.value)
    : undefined

/** All messages under these folders of the repository. */
export const messagesIn = (...folders: string[]): Found[] =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }))
    // The command line speaks English alone.
    .filter((file) => !/\.test\.|\.d\.ts$|^web\/built|^src\/cli\//.test(file))
    .sort()
    .flatMap((file) => {
      const code = readFileSync(join(root, file), 'utf8')
      return HAS_CALL.test(code) ? read(code, file).found : []
    })

/** What tells a message from others: its English text, behind its context, as gettext has it in its binary catalogues. */
export const keyOf = (message: string, context?: string | null): string =>
  context ? `${context}${BETWEEN}${message}` : message
const BETWEEN = '\u0004'
const messageOf = (key: string): string => key.slice(key.indexOf(BETWEEN) + 1)

/** The key of each once, in an order that does not depend on where they stand. */
const keysOf = (found: readonly Found[]): string[] =>
  [...new Set(found.map(({ message, context }) => keyOf(message, context)))].sort()

/** The translations of a language by their keys. */
export function readCatalogue(code: string): Map<string, string> {
  const po = parsePo(readFileSync(join(root, 'languages', `${code}.po`), 'utf8'))
  return new Map(
    po.items.map(({ msgid, msgctxt, msgstr }) => [keyOf(msgid, msgctxt), msgstr[0] ?? '']),
  )
}

/** Of the language for tests, in which texts in no catalogue are seen. */
const STRANGE: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ö',
  u: 'ü',
  c: 'ç',
  n: 'ñ',
  s: 'š',
  A: 'Å',
  E: 'É',
  I: 'Î',
  O: 'Ö',
  U: 'Û',
}

/** Outside of `{…}` and of tags; in plurals, the branches. */
export function pseudo(text: string): string {
  const isChoice = /, (?:plural|select),/.test(text)
  const kept = isChoice ? /\{\w+\}|<\/?\w+>|\{\w+, \w+,|[=\w]+ (?=\{)|./gs : /\{\w+\}|<\/?\w+>|./gs
  const strange = text.replace(kept, (part) => STRANGE[part] ?? part)
  return isChoice ? strange : `[${strange}${'~'.repeat(Math.ceil(text.length * 0.4))}]`
}

/** The languages that have a catalogue, and the one for tests. */
const translated = () => [PSEUDO.code, ...LANGUAGES.map(({ code }) => code).filter(isNotEnglish)]
const isNotEnglish = (code: string) => code !== 'en'

/** What the server says, in a language: translations by their keys. */
export function serverTexts(): Map<string, Readonly<Record<string, string>>> {
  const keys = keysOf(messagesIn('src').filter(({ isOfServer }) => isOfServer))
  return new Map(
    translated().map((code) => {
      const found = code === PSEUDO.code ? undefined : readCatalogue(code)
      const pairs = keys.map((key) => [key, found ? found.get(key) : pseudo(messageOf(key))])
      return [code, Object.fromEntries(pairs.filter(([, translation]) => translation))]
    }),
  )
}

/** The places of what a page shows first: all that its script and what it imports have in them. */
function firstOf(bundle: Rolldown.OutputBundle, used: ReadonlyMap<string, number[]>): Set<number> {
  const files = new Set(
    Object.values(bundle).flatMap((one) =>
      one.type === 'chunk' && one.isEntry ? one.fileName : [],
    ),
  )
  for (const file of files) {
    const chunk = bundle[file]
    if (chunk?.type === 'chunk') for (const other of chunk.imports) files.add(other)
  }
  const modules = [...files].flatMap((file) => {
    const chunk = bundle[file]
    return chunk?.type === 'chunk' ? chunk.moduleIds : []
  })
  return new Set(modules.flatMap((id) => used.get(id.split('?')[0]!) ?? []))
}

/** Gives each message its place, and makes a script of each catalogue. */
export function messagesPlugin(): Plugin {
  const languages = [
    PSEUDO.code,
    ...LANGUAGES.map(({ code }) => code).filter((code) => code !== 'en'),
  ]
  // Those of the client first: its places have the fewest digits.
  const keys = [
    ...new Set([...keysOf(messagesIn('web/client', 'web/shared')), ...keysOf(messagesIn('web'))]),
  ]
  const places = new Map(keys.map((key, i) => [key, i]))
  const placeOf = ({ message, context }: Found) => places.get(keyOf(message, context))
  /** Places of the messages of each module. */
  const used = new Map<string, number[]>()
  return {
    name: 'messages',
    enforce: 'pre',
    transform(code, id) {
      const path = id.split('?')[0]!
      if (!/\.tsx?$/.test(path) || MODULES.test(path)) return undefined
      const isLazy = path.includes('/web/client/') && HAS_IMPORT.test(code)
      if (!isLazy && !HAS_CALL.test(code)) return undefined
      const { found: all, imports, lazy } = read(code, path)
      const found = all.filter((one) => !one.isOfServer)
      const unknown = found.find((one) => placeOf(one) === undefined)
      if (unknown) this.error(`${path} has a text that is not in the catalogues of this page`)
      used.set(
        path,
        found.map((one) => placeOf(one)!),
      )
      const edits = [
        ...found.map((one) => ({
          ...{ start: one.start, end: one.end },
          text: `${placeOf(one)}, ${JSON.stringify(compile(one.message))}`,
        })),
        // The context is for translators.
        ...found.flatMap(({ context, contextStart: start, contextEnd: end }) =>
          context ? [{ start, end, text: '' }] : [],
        ),
        // What is loaded later waits for its texts.
        ...(isLazy ? lazy : []).map(({ start }) => ({
          ...{ start, end: start },
          text: 'texts.then(() => ',
        })),
        ...(isLazy ? lazy : []).map(({ end }) => ({ ...{ start: end, end }, text: ')' })),
        ...imports.map(({ start, end, imported, local }) => ({
          ...{ start, end },
          text: `${CALLS[imported.name]} as ${local.name}`,
        })),
      ].sort((a, b) => b.start - a.start)
      let made = code
      for (const { start, end, text } of edits) made = made.slice(0, start) + text + made.slice(end)
      if (isLazy) made = `import { texts } from ${JSON.stringify(TEXTS)}\n${made}`
      return { code: made, map: null }
    },
    generateBundle(_, bundle) {
      const all = new Set([...used.values()].flat())
      // A page without a text, such as the one around an app, has no catalogues.
      if (all.size === 0) return
      const first = firstOf(bundle, used)
      const files: Record<string, { first: string; later: string }> = {}
      for (const language of languages) {
        const translations = language === PSEUDO.code ? undefined : readCatalogue(language)
        const compiled = keys.map((key) => {
          const translation = translations ? translations.get(key) : pseudo(messageOf(key))
          return translation ? JSON.stringify(compile(translation)) : ''
        })
        // Lists with holes: keys would take more.
        const emit = (isOf: (place: number) => boolean, head: (list: string) => string) => {
          const list = compiled.map((text, place) => (isOf(place) ? text : '')).join(',')
          const source = head(`[${list.replace(/,+$/, '')}]`)
          const file = this.emitFile({ type: 'asset', name: `${language}.js`, source })
          return this.getFileName(file)
        }
        files[language] = {
          first: emit(
            (place) => first.has(place),
            (list) => `globalThis.messages=${list}\n`,
          ),
          later: emit(
            (place) => all.has(place) && !first.has(place),
            (list) => `Object.assign(messages,${list})\n`,
          ),
        }
      }
      // The server reads it.
      const source = `${JSON.stringify(files, undefined, 1)}\n`
      this.emitFile({ type: 'asset', fileName: 'catalogues.json', source })
    },
  }
}
