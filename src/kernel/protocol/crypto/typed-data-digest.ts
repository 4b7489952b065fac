import { concatBytes, fromHex } from '../codec/bytes.ts'
import { ADDRESS_BYTES } from '../sizes.ts'
import type { TypedDataDomain } from './account-domains.ts'
import { keccak256 } from './keccak.ts'

// EIP-712 for flat structs, which are all that is signed here. A general encoder, such as viem's, takes five
// times as long: it checks and converts texts, and hashes the domain and the type each time.

/** A struct under a domain, in the shape viem takes it. */
export type TypedData = {
  readonly domain: TypedDataDomain
  readonly types: Readonly<Record<string, readonly Member[]>>
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

type Member = { readonly name: string; readonly type: string }

const WORD_BYTES = 32
const BYTE_BITS = 8
/** Integers as JSON has them: 2 ** 256 has 78 digits. */
const DECIMAL = /^\d{1,78}$/
const PREFIX = Uint8Array.of(0x19, 0x01)

/** The members that a domain may have, in their order. */
const DOMAIN_MEMBERS: readonly Member[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]
/** The 32-byte EIP-712 digest. Throws a TypeError when a value is not of its member's type. */
export function typedDataDigest({ domain, types, primaryType, message }: TypedData): Uint8Array {
  const members = types[primaryType]
  if (!members) throw new TypeError(`${primaryType} is not among the types`)
  const struct = structHash(typeHash(primaryType, members), members, message)
  return keccak256(concatBytes(PREFIX, separatorOf(domain), struct))
}

/** By the objects themselves: constants, but for claims on other chains. A list of members belongs to one struct. */
const separators = new WeakMap<object, Uint8Array>()
const typeHashes = new WeakMap<object, Uint8Array>()

const separatorOf = (domain: TypedDataDomain): Uint8Array =>
  separators.getOrInsertComputed(domain, () => {
    const values = domain as Readonly<Record<string, unknown>>
    const members = DOMAIN_MEMBERS.filter(({ name }) => values[name] !== undefined)
    return structHash(typeHash('EIP712Domain', members), members, values)
  })

const typeHash = (name: string, members: readonly Member[]): Uint8Array =>
  typeHashes.getOrInsertComputed(members, () => {
    const list = members.map((member) => `${member.type} ${member.name}`).join(',')
    return keccak256(Buffer.from(`${name}(${list})`))
  })

function structHash(
  type: Uint8Array,
  members: readonly Member[],
  values: Readonly<Record<string, unknown>>,
): Uint8Array {
  return keccak256(
    concatBytes(type, ...members.map((member) => wordOf(member, values[member.name]))),
  )
}

/** The 32 bytes that stand for a value: itself, or the hash of one that has no fixed length. */
function wordOf({ name, type }: Member, value: unknown): Uint8Array {
  if (type === 'string') return keccak256(Buffer.from(textOf(name, value)))
  if (type === 'bytes') return keccak256(bytesOf(name, value))
  if (type === 'bytes32') return fixedBytes(name, value, WORD_BYTES)
  if (type === 'address') return leftPadded(fixedBytes(name, value, ADDRESS_BYTES))
  if (type.endsWith('[]')) return listWord(name, type.slice(0, -2), value)
  const bits = /^uint(\d+)$/.exec(type)?.[1]
  if (bits === undefined) throw new TypeError(`${type} is not a type of the structs signed here`)
  return unsigned(name, value, Number(bits))
}

function listWord(name: string, type: string, value: unknown): Uint8Array {
  if (!Array.isArray(value)) throw new TypeError(`${name} is not a list`)
  return keccak256(concatBytes(...value.map((item) => wordOf({ name, type }, item))))
}

function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`${name} is not a text`)
  return value
}

function bytesOf(name: string, value: unknown): Uint8Array {
  const bytes = fromHex(textOf(name, value))
  if (!bytes) throw new TypeError(`${name} is not bytes in hex`)
  return bytes
}

function fixedBytes(name: string, value: unknown, length: number): Uint8Array {
  const bytes = bytesOf(name, value)
  if (bytes.length !== length) throw new TypeError(`${name} has not ${length} bytes`)
  return bytes
}

function unsigned(name: string, value: unknown, bits: number): Uint8Array {
  const isInteger =
    typeof value === 'bigint' ||
    Number.isSafeInteger(value) ||
    (typeof value === 'string' && DECIMAL.test(value))
  if (!isInteger) throw new TypeError(`${name} is not an integer`)
  const number = BigInt(value as number | bigint | string)
  if (number < 0n || number >> BigInt(bits) > 0n) throw new TypeError(`${name} is out of range`)
  const digits = (WORD_BYTES * BYTE_BITS) / 4
  return Buffer.from(number.toString(16).padStart(digits, '0'), 'hex')
}

function leftPadded(bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(WORD_BYTES)
  word.set(bytes, WORD_BYTES - bytes.length)
  return word
}
