import { hashMessage } from 'viem/utils'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { ChannelTerms } from './channels.ts'
import type { SigningKeys } from './keys.ts'
import { invalid, readEthereumMessage } from './message.ts'
import { endOfNonce, makeNonce } from './nonces.ts'

// Sign-in messages for apps of the app API. An app may show the same one again while its nonce holds, because it answers
// nothing but what that app has itself: the signers that it made for its user.

const NONCE_MS = 3_600_000

/** What the app API needs of sign-in. `app` is the uuid of the app that asks. */
export type AppSignIn = {
  /** A nonce that holds for an hour, in messages that this app shows. */
  nonce(app: string): Promise<string>
  /** The fid whose custody address signed the message. Throws a Rejection. */
  fidOf(app: string, signed: { message: string; signature: Uint8Array }): Promise<number>
}

export function createAppSignIn(terms: ChannelTerms & { readonly keys: SigningKeys }): AppSignIn {
  const { keys, clock, accounts, verify } = terms
  const secretOf = async (app: string) => `${(await keys.current()).secret} app ${app}`
  return {
    nonce: async (app) => makeNonce(await secretOf(app), clock.now(), NONCE_MS),
    async fidOf(app, { message, signature }) {
      const now = clock.now()
      const { address: text, nonce } = readEthereumMessage(message, now)
      if (endOfNonce(await secretOf(app), nonce, now, NONCE_MS) === undefined) {
        throw invalid(
          'message',
          "has a nonce that is not from this app's /login/nonce, or has ended",
        )
      }
      const address = fromHex(text)!
      const fid = await accounts.fidOf(address)
      if (fid === undefined) {
        const whose = `${toHex(address)} is not the custody address of an account`
        throw new Rejection('not_found', whose, { field: 'message' })
      }
      if (await verify(address, fromHex(hashMessage(message))!, signature)) return fid
      throw invalid('signature', 'is not that of the address in the message')
    },
  }
}
