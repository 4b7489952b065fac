import { decodeAbiParameters, encodeAbiParameters } from 'viem/utils'
import { fromHex, fromUtf8, toHex } from '../../kernel/protocol/codec/bytes.ts'
import {
  signTypedData,
  usernameProofDomain,
  usernameProofTypedData,
} from '../../kernel/protocol/crypto/eip712.ts'
import { FNAME_PATTERN } from '../../kernel/protocol/names.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Registry } from './registry.ts'
import type { StoredTransfer } from './tables/name-transfers.ts'

// The off-chain half of an ENS resolver (ERC-3668, ENSIP-10): a contract that does not know a name sends its
// client here and accepts the registry's signature.

type Hex = `0x${string}`

/** `resolve(bytes name, bytes data)` of ENSIP-10. */
const RESOLVE_SELECTOR = '0x9061b923'
const SELECTOR_BYTES = 4
const RESOLVE_PARAMETERS = [{ type: 'bytes' }, { type: 'bytes' }] as const
const ANSWER_PARAMETERS = [
  { name: 'name', type: 'string' },
  { name: 'timestamp', type: 'uint256' },
  { name: 'owner', type: 'address' },
  { name: 'signature', type: 'bytes' },
] as const
const NO_ADDRESS = `0x${'00'.repeat(20)}` as const
const NOT_FOUND = encodeAbiParameters(ANSWER_PARAMETERS, ['', 0n, NO_ADDRESS, '0x'])

/**
 * The encoded (name, timestamp, owner, signature) for a `resolve` call; all empty for a name that is not
 * registered or not directly below one of our domains.
 */
export async function answerLookup(
  { settings, transfers }: Pick<Registry, 'settings' | 'transfers'>,
  callData: Uint8Array,
): Promise<Hex> {
  const [name = '', ...parent] = decodeCall(callData)
  const resolver = settings.resolvers.get(parent.join('.').toLowerCase())
  const isName = resolver !== undefined && FNAME_PATTERN.test(name)
  const latest = isName ? await transfers.latestOf(name) : undefined
  if (!resolver || !latest || latest.to_fid === 0) return NOT_FOUND
  return encodeAbiParameters(ANSWER_PARAMETERS, [
    latest.username,
    BigInt(latest.timestamp),
    toHex(latest.owner) as Hex,
    toHex(signatureFor(latest, resolver, settings)) as Hex,
  ])
}

/** Signatures that are remembered, about 200 bytes each. Making one takes two milliseconds. */
const MAX_CACHED_SIGNATURES = 10_000

/** By settings, because they hold the key; the oldest come first. */
const cachedSignatures = new WeakMap<object, Map<string, Uint8Array>>()

/** Not the signature of the log: this one is valid for this resolver contract only. */
function signatureFor(
  { username, timestamp, owner }: StoredTransfer,
  resolver: Uint8Array,
  settings: Pick<Registry['settings'], 'serverKey'>,
): Uint8Array {
  const cached = cachedSignatures.get(settings) ?? new Map<string, Uint8Array>()
  cachedSignatures.set(settings, cached)
  const what = `${username}/${timestamp}/${toHex(owner)}/${toHex(resolver)}`
  const known = cached.get(what)
  if (known) return known
  const domain = usernameProofDomain({ verifyingContract: toHex(resolver) as Hex })
  const claim = usernameProofTypedData({ name: username, timestamp, owner }, domain)
  const signature = signTypedData(claim, settings.serverKey)
  if (cached.size >= MAX_CACHED_SIGNATURES) cached.delete(cached.keys().next().value!)
  cached.set(what, signature)
  return signature
}

/** The labels of the requested name. The contract handles the kind of record. */
function decodeCall(callData: Uint8Array): string[] {
  const selector = toHex(callData.subarray(0, SELECTOR_BYTES))
  if (selector !== RESOLVE_SELECTOR) {
    const text = `No implementation for function with selector ${selector || '0x'}`
    throw new Rejection('not_found', text, { field: 'data' })
  }
  try {
    const [name] = decodeAbiParameters(RESOLVE_PARAMETERS, callData.subarray(SELECTOR_BYTES))
    return decodeLabels(fromHex(name)!)
  } catch {
    throw new Rejection('bad_request.invalid_param', 'data is not a call of resolve(bytes,bytes)', {
      field: 'data',
    })
  }
}

/** A name in DNS wire form: each label after its length, then a zero. */
function decodeLabels(wire: Uint8Array): string[] {
  const labels: string[] = []
  let at = 0
  for (; wire[at] !== 0; at += wire[at]! + 1) {
    const end = at + 1 + (wire[at] ?? wire.length)
    const label = fromUtf8(wire.subarray(at + 1, end))
    if (end >= wire.length || label === undefined) throw new Error('not a DNS name')
    labels.push(label)
  }
  if (at !== wire.length - 1) throw new Error('not a DNS name')
  return labels
}
