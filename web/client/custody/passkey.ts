import { base64url, bytesOf, hexOf, utf8Of } from '../../shared/bytes.ts'
import { t } from '../../shared/messages.ts'
import { type Copy, keysOf, type NewCopy, newSalt, open, seal } from './seal.ts'

// Passkeys (WebAuthn) whose PRF gives a secret that only this passkey, on this site, gives.

const PRF_INPUT = utf8Of('rookery custody key')
const ALGORITHMS = [-7, -8, -257]
const RANDOM_BYTES = 32

/** What a passkey answers when it signs in. */
export type PasskeyAnswer = {
  readonly credential: string
  readonly clientData: string
  readonly authenticatorData: string
  readonly signature: string
  readonly secret: Uint8Array
}

/** Sites with an address in place of a name have no passkeys, nor have those without TLS. */
export const mayUsePasskeys = (): boolean =>
  isSecureContext &&
  typeof PublicKeyCredential === 'function' &&
  !/^(?:[\d.]+|\[.*\])$/.test(location.hostname)

/** Whether this browser passes on the secrets of passkeys; one that does not say may. */
export async function canKeepKeys(): Promise<boolean> {
  if (!mayUsePasskeys()) return false
  const capabilities = await PublicKeyCredential.getClientCapabilities?.().catch(() => undefined)
  return capabilities?.['extension:prf'] !== false
}

/** Tells the device that a passkey opens nothing, so that it is not offered any more. Some browsers cannot. */
export async function forgetPasskey(credential: string): Promise<void> {
  const unknown = { rpId: location.hostname, credentialId: credential }
  await PublicKeyCredential.signalUnknownCredential?.(unknown).catch(() => {})
}

const random = () => crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
const extensions = () => ({ prf: { eval: { first: new Uint8Array(PRF_INPUT) } } })
const bytes = (source: BufferSource | undefined): Uint8Array | undefined =>
  source &&
  (source instanceof ArrayBuffer
    ? new Uint8Array(source)
    : new Uint8Array(source.buffer as ArrayBuffer, source.byteOffset, source.byteLength))

/** Asks for a new passkey and seals the words with it. One that cannot keep them is forgotten again. */
export async function sealWithPasskey(words: string, name: string): Promise<NewCopy> {
  const made = await ask(() =>
    navigator.credentials.create({
      publicKey: {
        rp: { id: location.hostname, name: location.hostname },
        user: { id: random(), name, displayName: name },
        challenge: random(),
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        extensions: extensions(),
      },
    }),
  )
  try {
    return await sealWith(made, words)
  } catch (error) {
    await forgetPasskey(base64url(new Uint8Array(made.rawId)))
    throw error
  }
}

async function sealWith(made: PublicKeyCredential, words: string): Promise<NewCopy> {
  const { prf } = made.getClientExtensionResults()
  const publicKey = (made.response as AuthenticatorAttestationResponse).getPublicKey()
  if (!publicKey || prf?.enabled === false) throw unable()
  const secret = bytes(prf?.results?.first) ?? (await answerOf(random(), made.rawId)).secret
  const salt = newSalt()
  return {
    kind: 'passkey',
    credential: base64url(new Uint8Array(made.rawId)),
    site: location.hostname,
    salt: hexOf(salt),
    proof: hexOf(new Uint8Array(publicKey)),
    sealed: await seal(words, (await keysOf(secret, salt)).key),
  }
}

/** Lets the person choose a passkey of this site, which signs the challenge. */
export const askPasskey = (challenge: string): Promise<PasskeyAnswer> =>
  answerOf(new Uint8Array(utf8Of(challenge)))

async function answerOf(
  challenge: Uint8Array<ArrayBuffer>,
  only?: ArrayBuffer,
): Promise<PasskeyAnswer> {
  const given = await ask(() =>
    navigator.credentials.get({
      publicKey: {
        rpId: location.hostname,
        challenge,
        userVerification: 'required',
        extensions: extensions(),
        ...(only && { allowCredentials: [{ type: 'public-key', id: only }] }),
      },
    }),
  )
  const secret = bytes(given.getClientExtensionResults().prf?.results?.first)
  if (!secret) throw unable()
  const { clientDataJSON, authenticatorData, signature } =
    given.response as AuthenticatorAssertionResponse
  const hex = (buffer: ArrayBuffer) => hexOf(new Uint8Array(buffer))
  return {
    credential: base64url(new Uint8Array(given.rawId)),
    clientData: hex(clientDataJSON),
    authenticatorData: hex(authenticatorData),
    signature: hex(signature),
    secret,
  }
}

export async function openWithPasskey(copy: Copy, secret: Uint8Array): Promise<string> {
  const { key } = await keysOf(secret, bytesOf(copy.salt))
  const words = await open(bytesOf(copy.sealed), key)
  if (!words) throw new Error(t('This passkey does not open the key of the account.'))
  return words
}

async function ask(call: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await call()
    if (credential) return credential as PublicKeyCredential
  } catch (error) {
    if ((error as Error).name !== 'NotAllowedError') throw error
  }
  throw new Error(t('No passkey was used. Try again, or take a password.'))
}

const unable = () =>
  new Error(t('This passkey cannot keep a key. Take a password, or a passkey of your phone.'))
