import { createLocalJWKSet, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { unixSeconds } from '../../kernel/base/clock.ts'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { ChannelTerms } from './channels.ts'
import { ALGORITHM, type SigningKeys } from './keys.ts'
import { readMessage } from './message.ts'
import { endOfNonce, makeNonce } from './nonces.ts'
import { checkSigned } from './signer.ts'
import { signInRows } from './tables/sign-in.ts'

// Quick Auth: a user's signature becomes a token, which a server of the app verifies without asking anybody.

const TOKEN_SECONDS = 3_600
/** Sign-ins of one fid within the lifetime of a nonce; each is a row. */
const MAX_SIGN_INS = 100
const RETRY_SECONDS = 300

export type QuickAuthTerms = ChannelTerms & { readonly keys: SigningKeys }

/** Why a sign-in or a token is refused, in the words of the published client. */
export type QuickAuthReason = 'invalid_nonce' | 'invalid_signature' | 'invalid_token'

export class QuickAuthRefusal extends Error {
  readonly reason: QuickAuthReason
  constructor(reason: QuickAuthReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export async function newNonce({ keys, clock }: QuickAuthTerms): Promise<string> {
  return makeNonce((await keys.current()).secret, clock.now())
}

export type SignInProof = {
  readonly message: string
  readonly domain: string
  /** 0x hex. */
  readonly signature: string
  readonly acceptAuthAddress: boolean
}

/** The token of a user for a domain. Its nonce has to be one of this network and counts once, in all processes. */
export async function exchange(
  terms: QuickAuthTerms,
  { message: text, domain, signature, acceptAuthAddress }: SignInProof,
  issuer: string,
): Promise<string> {
  const { keys, clock, storage } = terms
  const { kid, privateKey, secret } = await keys.current()
  const now = clock.now()
  const message = refusedAs('invalid_signature', () => readMessage(text, now))
  const { fid, fields } = message
  const endsAt = endOfNonce(secret, fields.nonce, now)
  if (endsAt === undefined) {
    throw new QuickAuthRefusal('invalid_nonce', 'the nonce is not from here, or has expired')
  }
  if (fields.domain !== domain) {
    throw new QuickAuthRefusal('invalid_signature', 'the message is for another domain')
  }
  await checkSigned(terms, message, { signature: fromHex(signature)!, acceptAuthAddress }).catch(
    (error) => refusedAs('invalid_signature', () => rethrow(error)),
  )
  const isSpent = !(await storage.write(`fid/${fid}`, async (tx) => {
    if ((await tx.of(signInRows).noncesOf(fid, now)) >= MAX_SIGN_INS) throw tooMany(fid)
    return tx.of(signInRows).spend(fields.nonce, fid, endsAt)
  }))
  if (isSpent) throw new QuickAuthRefusal('invalid_nonce', 'the nonce was used before')
  const issuedAt = Math.floor(now / 1000)
  // The subject is a number, as the published client expects; the standard has a string.
  return new SignJWT({ sub: fid as unknown as string })
    .setProtectedHeader({ alg: ALGORITHM, kid })
    .setIssuer(issuer)
    .setAudience(domain)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + TOKEN_SECONDS)
    .sign(privateKey)
}

/** The claims of a token of this network for a domain. */
export async function verifyToken(
  { keys, clock }: QuickAuthTerms,
  { token, domain, issuer }: { token: string; domain: string; issuer: string },
): Promise<JWTPayload> {
  const { publicJwk } = await keys.current()
  const verified = await jwtVerify(token, createLocalJWKSet({ keys: [publicJwk] }), {
    algorithms: [ALGORITHM],
    audience: domain,
    issuer,
    requiredClaims: ['sub', 'exp', 'iat'],
    currentDate: new Date(unixSeconds(clock) * 1000),
  }).catch((error: Error) => {
    throw new QuickAuthRefusal('invalid_token', `the token is not valid: ${error.message}`)
  })
  return verified.payload
}

const rethrow = (error: unknown): never => {
  throw error
}

/** What the caller can mend is refused in the words of the published client; anything else is thrown on. */
function refusedAs<T>(reason: QuickAuthReason, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const isOfCaller = error instanceof Rejection && !error.code.startsWith('unavailable')
    if (isOfCaller) throw new QuickAuthRefusal(reason, error.message)
    throw error
  }
}

const tooMany = (fid: number) =>
  new Rejection('rate_limited', `fid ${fid} has signed in ${MAX_SIGN_INS} times in five minutes`, {
    retryAfterSeconds: RETRY_SECONDS,
  })
