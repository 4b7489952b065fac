import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { answerText } from '../../http/outgoing.ts'
import { equalBytes, fromHex } from '../../protocol/codec/bytes.ts'
import { recoverTypedDataSigner, usernameProofTypedData } from '../../protocol/crypto/eip712.ts'
import { FNAME_PATTERN } from '../../protocol/names.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { ADDRESS_BYTES, MAX_FID } from '../../protocol/sizes.ts'
import { NAME_FEED_CURSOR, type NameFeed, type NameTransfer } from '../names.ts'

type RemoteNamesOptions = {
  /** The registry's address, without a slash at its end. */
  readonly url: string
  /** 20-byte addresses whose signature a transfer may carry; what `/signer` says when there are none. */
  readonly signers: readonly Uint8Array[]
  /** Called for every transfer that is left out because it cannot be trusted. */
  readonly onInvalid: (transferId: number, why: string) => void
}

const TIMEOUT_MS = 5_000
const RETRY_SECONDS = 5
/** A page of a hundred transfers takes some 60 kB. */
const MAX_ANSWER_BYTES = 1024 * 1024
const SIGNATURE_BYTES = 65

/**
 * The feed of a remote registry, read page by page over HTTP. Transfers without a valid signature of the
 * registry are left out. Throws a Rejection when the registry cannot be reached or its answer is invalid.
 */
export function remoteNames({ url, signers, onInvalid }: RemoteNamesOptions): NameFeed {
  let published: Promise<readonly Uint8Array[]> | undefined
  const getSigners = async () => {
    if (signers.length > 0) return signers
    published ??= askSigner(url)
    try {
      return await published
    } catch (error) {
      published = undefined
      throw error
    }
  }

  /** A range of ids without valid transfers, so that it is not read again. */
  let skipped = { from: -1, to: -1 }
  return {
    cursor: `${NAME_FEED_CURSOR} ${url}`,
    async transfersAfter(id) {
      const trusted = await getSigners()
      for (let after = id === skipped.from ? skipped.to : id; ; ) {
        const page = await askTransfers(url, after)
        if (page.length === 0) return []
        const believed = await withoutInvalid(page, trusted, onInvalid)
        if (believed.length > 0) return believed
        after = page.at(-1)!.id
        skipped = { from: id, to: after }
      }
    },
  }
}

async function withoutInvalid(
  page: readonly NameTransfer[],
  trusted: readonly Uint8Array[],
  onInvalid: RemoteNamesOptions['onInvalid'],
): Promise<NameTransfer[]> {
  const believed: NameTransfer[] = []
  for (const transfer of page) {
    const why = faultOf(transfer, trusted)
    if (why === undefined) believed.push(transfer)
    else onInvalid(transfer.id, why)
    // Verifying a signature takes up to a millisecond; a long history must not block the event loop.
    await yieldToOthers()
  }
  return believed
}

function faultOf(transfer: NameTransfer, trusted: readonly Uint8Array[]): string | undefined {
  const { username: name, timestamp, owner, serverSignature } = transfer
  if (!FNAME_PATTERN.test(name)) return 'its name is not a name'
  const claim = usernameProofTypedData({ name, timestamp, owner })
  const signer = recoverTypedDataSigner(claim, serverSignature)
  const isTrusted = signer !== undefined && trusted.some((one) => equalBytes(one, signer))
  return isTrusted ? undefined : 'it does not carry the signature of the registry'
}

async function askSigner(url: string): Promise<readonly Uint8Array[]> {
  const answer = (await getJson(`${url}/signer`)) as { signer?: unknown } | null
  const signer = bytesOf(answer?.signer, ADDRESS_BYTES)
  if (!signer) throw unavailable(`${url}/signer does not say an address`)
  return [signer]
}

async function askTransfers(url: string, after: number): Promise<NameTransfer[]> {
  const address = `${url}/transfers?from_id=${after}`
  const answer = (await getJson(address)) as { transfers?: unknown } | null
  if (!Array.isArray(answer?.transfers)) throw unavailable(`${address} has no list of transfers`)
  let last = after
  return answer.transfers.map((row: unknown) => {
    const transfer = readTransfer(row)
    if (!transfer || transfer.id <= last) {
      throw unavailable(`${address} has something else than transfers in order after id ${last}`)
    }
    last = transfer.id
    return transfer
  })
}

function readTransfer(row: unknown): NameTransfer | undefined {
  if (typeof row !== 'object' || row === null) return undefined
  const { id, timestamp, username, from, to, ...texts } = row as Record<string, unknown>
  const owner = bytesOf(texts.owner, ADDRESS_BYTES)
  const serverSignature = bytesOf(texts.server_signature, SIGNATURE_BYTES)
  if (!isCount(id) || !isCount(timestamp) || !isFid(from) || !isFid(to)) return undefined
  if (typeof username !== 'string' || !owner || !serverSignature) return undefined
  return { id, timestamp, username, owner, from, to, serverSignature }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0
const isFid = (value: unknown): value is number => isCount(value) && value <= MAX_FID

function bytesOf(value: unknown, length: number): Uint8Array | undefined {
  if (typeof value !== 'string' || !value.startsWith('0x')) return undefined
  const bytes = fromHex(value)
  return bytes?.length === length ? bytes : undefined
}

async function getJson(address: string): Promise<unknown> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!response.ok) throw new Error(`status ${response.status}`)
    return JSON.parse(await answerText(response, MAX_ANSWER_BYTES))
  } catch (error) {
    throw unavailable(`${address} cannot be read: ${(error as Error).message}`)
  }
}

const unavailable = (text: string) =>
  new Rejection('unavailable.network_failure', text, { retryAfterSeconds: RETRY_SECONDS })
