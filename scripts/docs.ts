// `npm run docs [-- <directory>]`: builds the guide as a site, and installs what builds it when that is missing: its packages are
// apart from those of the program and of its tests, which are many enough.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const docs = fileURLToPath(new URL('../docs', import.meta.url))

/** The pages are in this directory unless another one is given. */
export const GUIDE = 'docs/.vitepress/dist'

export const hasBuilder = (): boolean => existsSync(join(docs, 'node_modules/.package-lock.json'))

export function buildGuide(directory?: string): void {
  const options = { cwd: docs, stdio: ['ignore', 2, 2] as [string, number, number] }
  if (!hasBuilder()) execFileSync('npm', ['ci', '--loglevel=error'], options as object)
  const given = directory === undefined ? [] : ['--outDir', resolve(directory)]
  const args = ['node_modules/vitepress/bin/vitepress.js', 'build', '.', ...given]
  execFileSync(process.execPath, args, options as object)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildGuide(process.argv[2])
