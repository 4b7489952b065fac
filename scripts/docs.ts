// `npm run docs [-- <directory>]`: builds the guide as a site, and installs what builds it when that is missing: its packages are
// apart from those of the program and of its tests, which are many enough.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const docs = fileURLToPath(new URL('../docs', import.meta.url))

/** The pages are in this directory unless another one is given. */
export const GUIDE = 'docs/.vitepress/dist'

export const hasBuilder = (): boolean => existsSync(join(docs, 'node_modules/.package-lock.json'))

/** Rejects when the guide cannot be built, as with a link that leads nowhere. */
export async function buildGuide(directory?: string): Promise<void> {
  if (!hasBuilder()) await run('npm', 'ci', '--loglevel=error')
  const given = directory === undefined ? [] : ['--outDir', resolve(directory)]
  await run(process.execPath, 'node_modules/vitepress/bin/vitepress.js', 'build', '.', ...given)
}

async function run(command: string, ...args: string[]): Promise<void> {
  const child = spawn(command, args, { cwd: docs, stdio: ['ignore', 2, 2] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the guide is not built: ${command} ended with ${code}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildGuide(process.argv[2])
