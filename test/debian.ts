// Programs of Debian's packages that tests run, installed when they are missing.

import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const APT_ENV = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
/** Another installation may hold the lock. */
const APT_ARGUMENTS = ['-o', 'DPkg::Lock::Timeout=120', '-y', '--no-install-recommends', 'install']

const run = promisify(execFile)

/**
 * The path of a program, by the first of its names that is on the PATH; installed from `debianPackage`
 * when there is none and a package is named. Throws an Error that says why it cannot be had.
 */
export async function findProgram(
  names: readonly string[],
  debianPackage: string | undefined,
): Promise<string> {
  const path = onPath(names)
  if (path) return path
  if (debianPackage === undefined) throw new Error(`${names[0]} is not installed`)
  const install = () => run('apt-get', [...APT_ARGUMENTS, debianPackage], { env: APT_ENV })
  try {
    // Package lists may be missing or old, and take longer than the installation: only then.
    await install().catch(async () => {
      await run('apt-get', ['update'], { env: APT_ENV })
      await install()
    })
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string }
    throw new Error(`${debianPackage} could not be installed: ${stderr || message}`)
  }
  const installed = onPath(names)
  if (!installed) throw new Error(`the package ${debianPackage} has none of ${names.join(', ')}`)
  return installed
}

function onPath(names: readonly string[]): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter)
  return directories.flatMap((path) => names.map((name) => join(path, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
