import { Refusal } from '../../shared/request.ts'
import type { Connection } from '../../wallets/provider.ts'
import { findFid } from '../act/account-calls.ts'
import { allKept, keepAlso } from './kept.ts'
import { askPasskey, openWithPasskey } from './passkey.ts'
import { openWithPassword, passwordKeys } from './password.ts'
import { askToSave, noteSaved } from './reminder.ts'
import type { Copy } from './seal.ts'
import { fidOfName, newChallenge, openByPasskey, openOnServer, saltOnServer } from './server.ts'
import { connectionOf, readWords } from './words.ts'

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

export async function openAccountByWords(text: string): Promise<Opened> {
  const words = readWords(text)
  if (!words) throw new Error('These are not 12 words. Check each of them.')
  const connection = connectionOf(words)
  const fid = await findFid(connection.address)
  if (fid === undefined) {
    throw new Error(
      'No account here belongs to these words. Check each of them. If you have asked for your account, it takes its time.',
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
  if (!message) return 'Something went wrong. Try again.'
  const said = message[0]!.toUpperCase() + message.slice(1)
  return error instanceof Refusal && status === 404 ? `${said}. Try another way to sign in.` : said
}
