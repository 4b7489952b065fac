// Builds web/ into web/built/. What comes out is committed, so that a server needs neither React nor Vite.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const root = fileURLToPath(new URL('../web/', import.meta.url))
export const BUILT = `${root}built`
const PAGES = ['connect', 'apps']

/** Writes the pages and their assets, whose names carry a hash of their content, into a directory. */
export async function buildWeb(directory: string): Promise<void> {
  // Vite builds what this says, and tests run under another word.
  process.env.NODE_ENV = 'production'
  await build({
    root,
    configFile: false,
    // Addresses relative to the page: the interface may stand under any path of a proxy.
    base: './',
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir: directory,
      emptyOutDir: true,
      target: 'es2022',
      // Inlined, they would need a policy that lets inline content in.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: PAGES.map((page) => `${root}${page}.html`),
        output: {
          chunkFileNames: 'assets/shared-[hash].js',
          assetFileNames: 'assets/[hash][extname]',
        },
      },
    },
  })
}

/** Text by path of all files that a build has made. */
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
