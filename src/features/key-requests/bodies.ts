import Type from 'typebox'
import { MAX_SIGNATURE_BYTES } from './limits.ts'

// Schemas shared by the request bodies.

export const HexText = (maxBytes: number, description: string) =>
  Type.String({ pattern: '^0[xX](?:[0-9a-fA-F]{2})+$', maxLength: 2 + 2 * maxBytes, description })
export const Signature = HexText(
  MAX_SIGNATURE_BYTES,
  'In 0x hex; 65 bytes unless a contract wallet signs.',
)
/** Published clients may send these numbers as digit strings. Numbers with this many digits are exact. */
const MAX_DIGITS = 15
export const Digits = (description: string) =>
  Type.Union(
    [
      Type.Integer({ minimum: 1, maximum: 10 ** MAX_DIGITS - 1 }),
      Type.String({ pattern: `^[0-9]{1,${MAX_DIGITS}}$` }),
    ],
    { description },
  )
export const Token = Type.String({ maxLength: 128 })
