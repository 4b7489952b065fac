import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { patient } from './patience.ts'
import { type Env, ROOT } from './program.ts'

const run = promisify(execFile)
/** The packages of an earlier version are downloaded unless npm has kept them. */
const INSTALL_MS = patient(60_000)

export type EarlierVersion = {
  readonly root: string
  /** Of these settings, those that the version knows. */
  known(env: Env): Env
  remove(): void
}

/** The sources of a commit with the packages of its lock, or why they cannot be had here. */
export async function checkOutVersion(commit: string): Promise<EarlierVersion | string> {
  const root = mkdtempSync(join(tmpdir(), 'rookery-earlier-'))
  const remove = () => rmSync(root, { recursive: true, force: true })
  try {
    const archive = join(root, 'sources.tar')
    await run('git', ['archive', '--output', archive, commit], { cwd: ROOT })
    await run('tar', ['xf', archive, '-C', root])
    // Without install scripts: it runs with the Node of this version.
    const args = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--loglevel=error']
    await run('npm', args, { cwd: root, timeout: INSTALL_MS })
  } catch (error) {
    remove()
    return `commit ${commit} and its packages cannot be had here: ${(error as Error).message}`
  }
  const settings = readFileSync(join(root, 'docs', 'configuration.md'), 'utf8')
  return {
    root,
    known: (env) =>
      Object.fromEntries(Object.entries(env).filter(([name]) => settings.includes(name))),
    remove,
  }
}
