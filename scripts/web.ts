// Builds web/ into web/built/. The output is committed, so that a server needs neither React nor Vite.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { GONE } from '../web/shared/gone.ts'
import { helpPlugin } from './help.ts'
import { messagesPlugin, serverTexts } from './messages.ts'

const root = fileURLToPath(new URL('../web/', import.meta.url))
export const BUILT = `${root}built`
const PAGES = ['connect', 'apps', 'sign-in']

/** Writes the pages and their assets into a directory. Asset names contain a hash of their content. */
export async function buildWeb(directory: string): Promise<void> {
  // Vite reads NODE_ENV, which tests set to another value.
  process.env.NODE_ENV = 'production'
  await buildPages({
    root,
    // Addresses relative to the page: the interface may stand under any path of a proxy.
    base: './',
    // Its public directory belongs to the client.
    publicDir: false,
    directory,
    input: PAGES.map((page) => `${root}${page}.html`),
  })
  await buildPages({
    root: `${root}client`,
    // Served at the root of the front door; every path below it may show index.html.
    base: '/',
    directory: `${directory}/client`,
    input: [`${root}client/index.html`],
  })
  writeServiceWorker(`${directory}/client`)
  await buildPages({
    root: `${root}frame`,
    // The page around a mini app, with a policy of its own. It shares no file with the client.
    base: '/frame/',
    publicDir: false,
    directory: `${directory}/frame`,
    input: [`${root}frame/index.html`],
  })
  await buildPages({
    root: `${root}operator`,
    // A path of the operations interface.
    base: '/operator/',
    // The same icon and theme.
    publicDir: `${root}client/public`,
    directory: `${directory}/operator`,
    input: [`${root}operator/index.html`],
  })
  // What the server says to people itself.
  mkdirSync(`${directory}/texts`, { recursive: true })
  for (const [code, texts] of serverTexts()) {
    writeFileSync(`${directory}/texts/${code}.json`, `${JSON.stringify(texts, undefined, 1)}\n`)
  }
}

/** Files that the page needs before it shows anything. */
const FIRST_FILES = /(?:src|href)="(\/(?:assets\/[^"]+|theme\.js|icon\.svg))"/g

/** The menu of the frame is loaded when it is opened, also without a connection. */
const MENU = /^assets\/frame-menu-/
const IMPORTED = /(?:from|import)"\.\/([\w.-]+)"/g

/** The worker names the build that it belongs to, so that browsers replace it with the page. */
function writeServiceWorker(client: string): void {
  const html = readFileSync(`${client}/index.html`, 'utf8')
  const built = readBuilt(client)
  const first = [...html.matchAll(FIRST_FILES)].map(([, file]) => file)
  const later = [...built].flatMap(([path, content]) =>
    MENU.test(path)
      ? [path, ...[...content.matchAll(IMPORTED)].map(([, name]) => `assets/${name}`)]
      : [],
  )
  const files = [...new Set([...first, ...later.map((path) => `/${path}`)])]
  const hash = createHash('sha256')
  for (const [path, content] of built) hash.update(`${path}\n${content}\n`)
  const build = hash.digest('hex').slice(0, 16)
  const source = readFileSync(`${root}client/service-worker.js`, 'utf8')
  const given = Object.entries({ BUILD: build, FILES: files, GONE })
  const head = given.map(([name, value]) => `const ${name} = ${JSON.stringify(value)}\n`).join('')
  writeFileSync(`${client}/sw.js`, head + source)
}

const buildPages = ({
  directory,
  input,
  ...options
}: {
  root: string
  base: string
  publicDir?: false | string
  directory: string
  input: string[]
}) =>
  build({
    ...options,
    configFile: false,
    logLevel: 'warn',
    plugins: [messagesPlugin(), react(), helpPlugin()],
    build: {
      outDir: directory,
      emptyOutDir: true,
      target: 'es2022',
      // Inlined assets would require a content security policy that allows inline content.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // The room of the operator is one script of 510 kB, which nobody else loads.
      chunkSizeWarningLimit: 600,
      rolldownOptions: {
        input,
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          chunkFileNames: 'assets/[name]-[hash].js',
          assetFileNames: 'assets/[hash][extname]',
          // In many small files the same is larger as it is sent.
          codeSplitting: {
            groups: [
              // What the client needs before it shows anything is one file, and nothing else is in it.
              { name: 'first', test: /\/client\/main\.tsx$/, priority: 2 },
              // What most screens need is another.
              { name: 'common', minShareCount: 11, priority: 1 },
            ],
          },
        },
      },
    },
  })

/** Contents by path of all files of a build, as text. */
export function readBuilt(directory: string): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
  return new Map(
    files
      .filter((file) => file.isFile())
      .map((file) => `${file.parentPath}/${file.name}`)
      .sort()
      .map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')]),
  )
}
