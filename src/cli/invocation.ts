import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const IN_CLONE = 'npm run -s rookery --'
const IN_PACKAGE = 'npx rookery'
/** The npm package holds no sources. */
const IS_CLONE = import.meta.url.endsWith('.ts')

/** How the `rookery` command is typed by the user who runs it: of a package, of a clone, or on the PATH. */
export function invocationOf(
  env: Readonly<Record<string, string | undefined>>,
  isClone = IS_CLONE,
): string {
  if (isClone && env.npm_package_name === 'rookery') return IN_CLONE
  // A script of npm has the commands of a project on its PATH, which its user has not.
  if (env.npm_command !== undefined) return IN_PACKAGE
  const isOnPath = (env.PATH ?? '')
    .split(delimiter)
    .some((directory) => directory !== '' && existsSync(join(directory, 'rookery')))
  if (isOnPath) return 'rookery'
  return isClone ? IN_CLONE : IN_PACKAGE
}
