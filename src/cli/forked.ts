import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ForkOptions } from '../dev/fork.ts'
import type { Logger } from '../kernel/http/logger.ts'
import { STORAGE_SETTINGS } from '../kernel/storage/settings.ts'
import { Failure } from './failure.ts'

// rookery start --fork: a network that has the accounts of another one, too.

type Env = Readonly<Record<string, string | undefined>>

type ForkWords = {
  readonly fork: string
  readonly at?: Date
  readonly forkHeader?: string
}

type Forked = {
  readonly settings: Env
  /** The address of the hub, or the path of the file. */
  readonly of: string
  open(log: Logger): Promise<ForkOptions>
  /** Notes what was forked, once the network has started. */
  keep(): void
}

/** The settings of the fork, and its source. */
export async function forkedSettings(settings: Env, words: ForkWords): Promise<Forked> {
  if (settings.DATABASE_URL) {
    throw new Failure('--fork is for the embedded store: leave out DATABASE_URL')
  }
  const { dataDir, network } = STORAGE_SETTINGS.settings
  const { forkTerms, keepTerms, openSource } = await import('../features/fork/terms.ts')
  const place = resolve(settings[dataDir.variable] || dataDir.defaults.development!)
  const source = sourceOf(words.fork)
  // The environment is not seen in lists of processes.
  const headers = headerOf(words.forkHeader ?? settings.FORK_HEADER)
  const at = words.at && Math.floor(words.at.getTime() / 1_000)
  const asked = { source, ...(at !== undefined && { at }) }
  const terms = await forkTerms(place, { ...asked, headers, network: settings[network.variable] })
  return {
    settings: { ...settings, [network.variable]: terms.network },
    of: source,
    open: async (log) => ({ of: source, source: await openSource(terms, headers, log) }),
    keep: () => keepTerms(place, terms),
  }
}

/** The address of a hub without a slash at its end, or the path of a file. */
function sourceOf(text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search) {
    return url.href.replace(/(?<!\/)\/+$/, '')
  }
  if (existsSync(text)) return resolve(text)
  throw new Failure(
    `--fork must be the HTTP address of a hub, such as http://127.0.0.1:3381, or a file of rookery dev record-fork, not "${text}"`,
  )
}

/** Errors do not show the header: it may be a key. */
function headerOf(text: string | undefined): Record<string, string> {
  if (!text) return {}
  const [, name, value] = /^([\w-]{1,100}): *([\x21-\x7e][\x20-\x7e]{0,4000})$/.exec(text) ?? []
  if (name !== undefined) return { [name]: value! }
  throw new Failure(
    'the header of --fork-header, or of FORK_HEADER, must be a name, a colon and a value, such as "x-api-key: …"',
  )
}
