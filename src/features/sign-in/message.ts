import type { Address } from 'viem'
import { createSiweMessage, parseSiweMessage, type SiweMessage } from 'viem/siwe'
import { getAddress } from 'viem/utils'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'

// The message of Sign In With Farcaster: a message of Ethereum sign-in (EIP-4361) whose statement, chain id and one
// resource, the fid, are fixed (FIP-11).

/** Bytes that a user signs; wallets show all of it. */
export const MAX_MESSAGE_CHARACTERS = 8_192
const STATEMENT = 'Farcaster Auth'
/** Earlier wallets write the second one. */
const STATEMENTS = [STATEMENT, 'Farcaster Connect']
/** OP mainnet on every network: published verifiers accept no other. */
const CHAIN_ID = 10
const FID_RESOURCE = /^farcaster:\/\/fid\/([1-9][0-9]{0,9})\/?$/
const TIMES = /^(Issued At|Expiration Time|Not Before): (.+)$/gm

/** What an app asks a user to sign. Times are ISO 8601 texts. */
export type SignInRequest = {
  readonly siweUri: string
  readonly domain: string
  readonly nonce: string
  readonly notBefore?: string | undefined
  readonly expirationTime?: string | undefined
  readonly requestId?: string | undefined
  readonly redirectUrl?: string | undefined
  readonly acceptAuthAddress?: boolean | undefined
}

export type SignInMessage = {
  readonly text: string
  /** 20 bytes: who signs. */
  readonly address: Uint8Array
  readonly fid: number
  readonly fields: SiweMessage
}

/** The message for one account. Throws a Rejection for a request that no wallet could make a message of. */
export function writeMessage(
  request: SignInRequest,
  { address, fid, now }: { address: Uint8Array; fid: number; now: number },
): string {
  const { siweUri, domain, nonce, requestId } = request
  const message = {
    ...{ domain, nonce, uri: siweUri, version: '1' as const, chainId: CHAIN_ID },
    address: toHex(address) as Address,
    statement: STATEMENT,
    issuedAt: new Date(now),
    ...timesOf(request),
    ...(requestId !== undefined && { requestId }),
    resources: [`farcaster://fid/${fid}`],
  }
  try {
    return createSiweMessage(message)
  } catch (error) {
    throw invalid(fieldOf(error), `cannot be part of a sign-in message: ${firstLine(error)}`)
  }
}

/** viem names the field in the first line of its message. */
function fieldOf(error: unknown): string {
  const name = /field "(\w+)"/.exec(String(error))?.[1] ?? 'domain'
  return name === 'uri' ? 'siweUri' : name
}

const firstLine = (error: unknown) => String((error as Error).message).split('\n', 1)[0]

const timesOf = ({ notBefore, expirationTime }: SignInRequest) => ({
  ...(notBefore !== undefined && { notBefore: new Date(notBefore) }),
  ...(expirationTime !== undefined && { expirationTime: new Date(expirationTime) }),
})

/** The fields of any message of Ethereum sign-in, read as strictly. */
export function readEthereumMessage(text: string, now: number): SiweMessage {
  const fields = parseSiweMessage(text) as SiweMessage
  if (!isSameText(text, fields)) throw invalid('message', 'is not a sign-in message (EIP-4361)')
  const { expirationTime, notBefore } = fields
  if (expirationTime && now >= expirationTime.getTime()) throw invalid('message', 'has expired')
  if (notBefore && now < notBefore.getTime()) throw invalid('message', 'is not valid yet')
  return fields
}

/**
 * Reads a message, strictly: written again from its fields it has to be the same text, so that nothing in it is shown
 * to the user and not checked. `now` in Unix ms.
 */
export function readMessage(text: string, now: number): SignInMessage {
  const fields = readEthereumMessage(text, now)
  const { statement = '', chainId, resources = [] } = fields
  if (!STATEMENTS.includes(statement)) {
    throw invalid('message', `has another statement than "${STATEMENT}"`)
  }
  if (chainId !== CHAIN_ID) throw invalid('message', `has another chain id than ${CHAIN_ID}`)
  const fids = resources.flatMap((resource) => FID_RESOURCE.exec(resource)?.[1] ?? [])
  if (fids.length !== 1) throw invalid('message', 'does not name one fid in its resources')
  return { text, address: fromHex(fields.address)!, fid: Number(fids[0]), fields }
}

function isSameText(text: string, fields: SiweMessage): boolean {
  try {
    const again = createSiweMessage(fields)
    const given = text
      .replace(TIMES, (_, name, time) => `${name}: ${new Date(time).toISOString()}`)
      .replace(fields.address, getAddress(fields.address))
    return given === again
  } catch {
    return false
  }
}

/** Throws unless the message is what the app has asked for. */
export function checkAnswers({ fields }: SignInMessage, request: SignInRequest): void {
  const { notBefore, expirationTime } = timesOf(request)
  const pairs: readonly [string, unknown, unknown][] = [
    ['domain', fields.domain, request.domain],
    ['nonce', fields.nonce, request.nonce],
    ['uri', fields.uri, request.siweUri],
    ['request id', fields.requestId, request.requestId],
    ['expiration time', fields.expirationTime?.getTime(), expirationTime?.getTime()],
    ['time before which it is not valid', fields.notBefore?.getTime(), notBefore?.getTime()],
  ]
  const different = pairs.find(([, signed, asked]) => signed !== asked)
  if (different) throw invalid('message', `has another ${different[0]} than the app has asked for`)
}

export const invalid = (field: string, why: string): Rejection =>
  new Rejection('bad_request.validation_failure', `${field} ${why}`, { field })
