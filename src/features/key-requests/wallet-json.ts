import Type from 'typebox'
import type { UserTransaction } from '../../kernel/accounts/port.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { TypedData } from '../../kernel/protocol/crypto/eip712.ts'

// The JSON of typed data and transactions for wallets.

/** Typed data as wallets expect it: 256-bit numbers as digit strings, with the type EIP712Domain. */
export function typedDataJson({ domain, types, primaryType, message }: TypedData) {
  const fields = DOMAIN_FIELDS.filter(({ name }) => domain[name] !== undefined)
  const plain = (value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return {
    domain: { ...domain },
    types: { EIP712Domain: fields, ...types },
    primaryType,
    message: Object.fromEntries(
      Object.entries(message).map(([name, value]) => [name, plain(value)]),
    ),
  }
}

const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const

const TypedField = Type.Object({ name: Type.String(), type: Type.String() })

/** What `eth_signTypedData_v4` takes. */
export const TypedDataJson = Type.Object(
  {
    domain: Type.Object({
      name: Type.Optional(Type.String()),
      version: Type.Optional(Type.String()),
      chainId: Type.Optional(Type.Integer()),
      verifyingContract: Type.Optional(Type.String()),
    }),
    types: Type.Record(Type.String(), Type.Array(TypedField)),
    primaryType: Type.String(),
    message: Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Integer(), Type.Array(Type.Integer())]),
    ),
  },
  { description: 'For eth_signTypedData_v4.' },
)

export const TransactionJson = Type.Object({
  chainId: Type.Integer(),
  to: Type.String(),
  data: Type.String(),
})

export const transactionJson = ({ chainId, to, data }: UserTransaction) => ({
  chainId,
  to: toHex(to),
  data: toHex(data),
})
