import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import type { Connection } from '../../wallets/provider.ts'
import { findFid } from '../act/account-calls.ts'
import { allKept, keepAlso } from './kept.ts'
import { askPasskey, openWithPasskey } from './passkey.ts'
import { openWithPassword, passwordKeys } from './password.ts'
import { askToSave, noteSaved } from './reminder.ts'
import type { Copy } from './seal.ts'
import { fidOfName, newChallenge, openByPasskey, openOnServer, saltOnServer } from './server.ts'
import { readTypedWords } from './typed-words.ts'
import { connectionOf } from './words.ts'

// The ways to the custody key: a passkey, a password, the words themselves. What this browser keeps is tried first.

/** The key of an account, in memory for as long as the screen is open. */
export type Opened = {
  readonly connection: Connection
  /** Undefined for a wallet, which keeps its own. */
  readonly words: string | undefined
}

export async function openAccountByPasskey(): Promise<Opened> {
  const challenge = await newChallenge()
  const answer = await askPasskey(challenge)
  const here = (await allKept())
    .flatMap(({ copies }) => copies)
    .find(({ credential }) => credential === answer.credential)
  const copy = here ?? (await openByPasskey(answer))
  return remembered(await openWithPasskey(copy, answer.secret), copy)
}

export async function openAccountByPassword(
  of: string | number,
  password: string,
): Promise<Opened> {
  const fid = typeof of === 'number' ? of : await fidOfName(of)
  const here = (await allKept())
    .filter((kept) => kept.fid === fid)
    .flatMap(({ copies }) => copies)
    .find(({ kind }) => kind === 'password')
  if (here) {
    // It was changed on another device when this one does not open any more.
    const words = await openWithPassword(here, password).catch(() => undefined)
    if (words) return remembered(words, here)
  }
  const { proof } = await passwordKeys(password, await saltOnServer(fid))
  const copy = await openOnServer(fid, proof)
  return remembered(await openWithPassword(copy, password), copy)
}

/** Whether a password opens the account, here or with the copy of the server. */
export async function hasPassword(fid: number): Promise<boolean> {
  const isHere = (await allKept()).some(
    (kept) => kept.fid === fid && kept.copies.some(({ kind }) => kind === 'password'),
  )
  if (isHere) return true
  return saltOnServer(fid).then(
    () => true,
    (error) => {
      if (error instanceof Refusal && error.status === 404) return false
      throw error
    },
  )
}

export async function openAccountByWords(text: string): Promise<Opened> {
  const words = await readTypedWords(text)
  const connection = connectionOf(words)
  const fid = await findFid(connection.address)
  if (fid === undefined) {
    throw new Error(
      t(
        'No account here belongs to these words. Each is one of the list, so one may be another than you have written down, or two have changed places. If you have asked for your account, it takes its time.',
      ),
    )
  }
  // They are kept where they were read.
  noteSaved(fid)
  return { connection, words }
}

/** Another time this browser opens the copy without the server. */
async function remembered(words: string, copy: Copy): Promise<Opened> {
  const connection = connectionOf(words)
  const { address } = connection
  const fid = await findFid(address)
  await keepAlso({ address, ...(fid !== undefined && { fid }) }, copy)
  if (fid !== undefined) askToSave(fid)
  return { connection, words }
}

export const textOf = (error: unknown): string => {
  const { message = '', status } = error as Partial<Refusal>
  if (!message) return t('Something went wrong. Try again.')
  const said = message[0]!.toUpperCase() + message.slice(1)
  return error instanceof Refusal && status === 404
    ? t('{said}. Try another way to sign in.', { said })
    : said
}
