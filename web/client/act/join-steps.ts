import { t } from '../../shared/messages.ts'
import type { Connection } from '../../wallets/provider.ts'
import { noteMade } from '../session/language.ts'
import {
  addGaslessKey,
  addKey,
  availabilityOf,
  findFid,
  register,
  registerName,
} from './account-calls.ts'
import { type BrowserKey, createKey, findKey, type NewKey } from './key-store.ts'
import { setProfile, writeCast } from './writes.ts'

// The way from a wallet to a first cast. Each step looks at what is there already, so that a refused signature or a
// closed page loses nothing: the next attempt goes on where the last one ended.

export type StepName = 'account' | 'key' | 'name' | 'cast'

export type Wishes = {
  readonly invite: string
  /** Empty: none, or the account has one. */
  readonly name: string
  /** What the person is called; none unless given. */
  readonly display?: string
  /** Empty: none. */
  readonly cast: string
  /** Who may move a new account to another key; nobody unless given. */
  readonly recovery?: string | undefined
}

/** What an attempt has reached. */
export type Progress = {
  readonly fid?: number
  readonly key?: NewKey
  /** Whether an attempt has registered the account: its first key is added by a call as well. */
  readonly isNew?: boolean
  readonly done: readonly StepName[]
  /** Until when the present step waits, in Unix ms: the hub takes one key of an account a minute. */
  readonly until?: number
}

export const NOTHING_YET: Progress = { done: [] }

/** The steps that a newcomer, or an account without a key in this browser, has to go. */
export const stepsFor = (fid: number | undefined, { name, cast }: Wishes): StepName[] => [
  ...(fid === undefined ? (['account'] as const) : []),
  'key',
  ...(name ? (['name'] as const) : []),
  ...(cast ? (['cast'] as const) : []),
]

/** Goes all steps that are not done yet; reports each. Throws where one fails. */
export async function join(
  connection: Connection,
  wishes: Wishes,
  start: Progress,
  report: (progress: Progress) => void,
): Promise<number> {
  let { until: _, ...progress }: Progress = start
  const reached = (more: Partial<Progress>, step: StepName) => {
    progress = { ...progress, ...more, done: [...progress.done, step] }
    report(progress)
  }
  const isDone = (step: StepName) => progress.done.includes(step)

  const found = progress.fid ?? (await findFid(connection.address))
  const fid = found ?? (await register(connection, wishes.invite, wishes.recovery))
  if (!isDone('account')) reached({ fid, isNew: found === undefined }, 'account')
  if (progress.isNew) noteMade(fid)
  if (!isDone('key')) {
    const key = progress.key ?? (await createKey())
    progress = { ...progress, key }
    report(progress)
    if (progress.isNew) await addKey(connection, fid, key)
    else await addGaslessKey(connection, fid, key, (until) => report({ ...progress, until }))
    reached({}, 'key')
  }
  const key = await browserKeyOf(fid)
  if (wishes.name && !isDone('name')) {
    const { fid: holder } = await availabilityOf(wishes.name)
    if (holder !== fid) await registerName(connection, fid, wishes.name)
    await setProfile(key, 'username', wishes.name)
    reached({}, 'name')
  }
  const display = wishes.display?.trim()
  if (display) await setProfile(key, 'display', display)
  if (wishes.cast && !isDone('cast')) {
    await writeCast(key, { text: wishes.cast, mentions: [], mentionsPositions: [], urls: [] })
    reached({}, 'cast')
  }
  return fid
}

async function browserKeyOf(fid: number): Promise<BrowserKey> {
  const key = await findKey(fid)
  if (!key) throw new Error(t('This browser did not keep the key. Try again.'))
  return key
}
