import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const IN_CLONE = 'npm run -s rookery --'
const IN_PACKAGE = 'npx rookery'
/** The npm package holds no sources. */
const IS_CLONE = import.meta.url.endsWith('.ts')

const JSON_OPTION = '--json'

/** The words of a command line. `--json` is an option of every command, and may stand before it, too. */
export function argumentsOf(typed: readonly string[]): string[] {
  const options = typed.findIndex((word) => word.startsWith('-') && word !== JSON_OPTION)
  const words = options < 0 ? typed : typed.slice(0, options)
  if (!words.includes(JSON_OPTION)) return [...typed]
  const command = words.filter((word) => word !== JSON_OPTION)
  return [...command, JSON_OPTION, ...typed.slice(words.length)]
}

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
