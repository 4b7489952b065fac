import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const IN_CLONE = 'npm run -s rookery --'

/** How the `rookery` command is typed by the user who runs it: of a package, of a clone, or on the PATH. */
export function invocationOf(env: Readonly<Record<string, string | undefined>>): string {
  if (env.npm_package_name === 'rookery') return IN_CLONE
  if (env.npm_command !== undefined) return 'npx rookery'
  const isOnPath = (env.PATH ?? '')
    .split(delimiter)
    .some((directory) => directory !== '' && existsSync(join(directory, 'rookery')))
  return isOnPath ? 'rookery' : IN_CLONE
}
