import { t } from '../../shared/messages.ts'
import { findFid, hasKey } from '../act/account-calls.ts'
import { join, NOTHING_YET, type Progress } from '../act/join-steps.ts'
import { findKey } from '../act/key-store.ts'
import { setProfile } from '../act/writes.ts'
import { agree, type Terms } from './consent.ts'
import { keepAlso } from './kept.ts'
import { sealWithPasskey } from './passkey.ts'
import { sealWithPassword } from './password.ts'
import { askToSave } from './reminder.ts'
import type { NewCopy } from './seal.ts'
import { keepOnServer } from './server.ts'
import { connectionOf } from './words.ts'

// An account whose custody key this browser makes. The key is sealed and kept before anything is registered, so that a closed
// page or a refused invite loses nothing: the next attempt takes the same key.

export type Wanted = {
  readonly name: string
  readonly display: string
  readonly invite: string
  readonly picture: File | undefined
  /** Undefined: a passkey. */
  readonly password: string | undefined
  /** The recovery service of the server, where it is wanted. */
  readonly recovery: string | undefined
  /** What the person has agreed to; undefined: nothing was asked for. */
  readonly terms: Terms | undefined
}

/** What an attempt has reached. */
export type Attempt = {
  readonly words?: string
  readonly copy?: NewCopy
  /** Whether the copy is sealed by the password that is wanted. */
  readonly password?: string | undefined
  readonly progress: Progress
}

export type Created = {
  readonly fid: number
  readonly words: string
  /** Why the server keeps no copy; undefined when it does. */
  readonly notKept: string | undefined
  /** Why the picture is not in the profile; undefined when it is, or when none was chosen. */
  readonly noPicture: string | undefined
}

export const FIRST_ATTEMPT: Attempt = { progress: NOTHING_YET }

export async function createAccount(
  wanted: Wanted,
  before: Attempt,
  report: (attempt: Attempt) => void,
): Promise<Created> {
  const { words, copy } = await sealWords(wanted, before, report)
  let attempt: Attempt = { ...before, words, copy, password: wanted.password }
  const reached = (more: Partial<Attempt>) => {
    attempt = { ...attempt, ...more }
    report(attempt)
  }
  const connection = connectionOf(words)
  const { address } = connection
  const { name, display, recovery } = wanted
  const wishes = { invite: wanted.invite.trim(), name, display, cast: '', recovery }
  const fid = await join(connection, wishes, attempt.progress, (progress) => reached({ progress }))
  askToSave(fid)
  await agreeLater(fid, wanted.terms)
  await keepAlso({ address, fid }, copy)
  const notKept = await keepOnServer(connection, fid, copy).then(
    () => undefined,
    (error: Error) => error.message,
  )
  const noPicture = await putPicture(fid, wanted.picture).then(
    () => undefined,
    (error: Error) => error.message,
  )
  return { fid, words, notKept, noPicture }
}

/** Makes the key of an attempt, and keeps it sealed in this browser. */
export async function sealWords(
  { name, password }: Pick<Wanted, 'name' | 'password'>,
  before: Attempt,
  report: (attempt: Attempt) => void,
): Promise<{ readonly words: string; readonly copy: NewCopy }> {
  const words = before.words ?? (await import('./new-words.ts')).newWords()
  const isSealed = before.copy !== undefined && before.password === password
  const copy = isSealed
    ? before.copy!
    : password === undefined
      ? await sealWithPasskey(words, name)
      : await sealWithPassword(words, password)
  report({ ...before, words, copy, password })
  await keepAlso({ address: connectionOf(words).address }, copy)
  return { words, copy }
}

/** Where it fails, the person is asked again before writing. */
export async function agreeLater(fid: number, terms: Terms | undefined): Promise<void> {
  const key = terms && (await findKey(fid))
  if (key) await agree(key, terms).catch(() => {})
}

async function putPicture(fid: number, picture: File | undefined): Promise<void> {
  const key = picture && (await findKey(fid))
  if (!key) return
  const { upload } = await import('../media/upload.ts')
  await setProfile(key, 'picture', (await upload(key, picture)).url)
}

/** Signs in with a key that this browser has opened. Adds a key that casts, where this browser has none. */
export async function enterWith(
  words: string,
  report: (progress: Progress) => void,
): Promise<number> {
  const connection = connectionOf(words)
  const fid = await findFid(connection.address)
  if (fid === undefined)
    throw new Error(
      t(
        'No account here belongs to these words yet. If you have asked for your account, it takes its time.',
      ),
    )
  const key = await findKey(fid)
  if (key && (await hasKey(fid, key))) return fid
  return join(connection, { invite: '', name: '', cast: '' }, NOTHING_YET, report)
}
