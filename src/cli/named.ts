import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { STORAGE_SETTINGS } from '../kernel/storage/settings.ts'
import { Failure } from './failure.ts'

// A network with data of its own, beside those of the settings.

type Env = Readonly<Record<string, string | undefined>>

const PATTERN = /^[a-z0-9][a-z0-9-]{0,19}$/

function nameArgument(text: string): string {
  if (PATTERN.test(text)) return text
  throw new InvalidArgumentError('It has up to 20 characters of a-z, 0-9 and -.')
}

export const NAME = [
  '--name <name>',
  'a network with data of its own, beside the others',
  nameArgument,
] as const

/** Where the data of a network with a name are, by the variable of this setting. */
export function dataOf(name: string, settings: Env): Readonly<Record<string, string>> {
  if (settings.DATABASE_URL) {
    throw new Failure('--name is for the embedded store: name another database in DATABASE_URL')
  }
  const { variable, defaults } = STORAGE_SETTINGS.settings.dataDir
  return { [variable]: `${resolve(settings[variable] || defaults.development!)}-${name}` }
}

/** The settings of a network with a name. */
export const named = (settings: Env, name: string): Env => ({
  ...settings,
  ...dataOf(name, settings),
})
